//go:build !linux

package filedriver

// Orphaned cannot be told here.
func (d *Driver) Orphaned(string) (pid int, orphaned bool) { return 0, false }

// Keepers cannot be told here.
func (d *Driver) Keepers(string) []int { return nil }
