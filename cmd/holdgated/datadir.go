package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

const (
	systemDir      = "/var/lib/holdgated"
	defaultDirHelp = systemDir + " for root, else in the user's own state directory"
)

// dataDir is the directory that was asked for, or the default one.
func dataDir(asked string) (string, error) {
	if asked != "" {
		return filepath.Abs(asked)
	}
	if os.Geteuid() == 0 {
		return systemDir, nil
	}
	dir, err := stateDir()
	if err != nil {
		return "", usage("--data-dir is required: %w", err)
	}
	return filepath.Join(dir, "holdgate", "server"), nil
}

// stateDir is where programs of this user keep their data.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // the specification has relative ones ignored
		return dir, nil
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return os.UserConfigDir()
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no default for this user: %w", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}
