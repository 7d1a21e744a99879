package main

import "os"

// become is for systems where a process can go on as another program.
func become(string, []string, *os.File) error {
	return usage("a command after -- is not supported on Windows: check first, then run it")
}
