//go:build unix && !linux

package child

// alive is not found out here: the dead count as well until their parents ask for them.
func alive(int) bool { return true }
