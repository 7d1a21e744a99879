//go:build unix && !linux && !darwin

package filedriver

// unusableFileSystem cannot tell here.
func unusableFileSystem(string) (string, error) { return "", nil }

func lockHolder(string) int { return 0 }
