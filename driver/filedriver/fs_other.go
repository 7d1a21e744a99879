//go:build unix && !linux && !darwin

package filedriver

// readsAtOnce: nothing is promised about a directory that changes while it is read.
const readsAtOnce = false

// unusableFileSystem cannot tell here.
func unusableFileSystem(string) (string, error) { return "", nil }

func lockHolder(string) int { return 0 }
