package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// file is a file as it is and as it should be. Empty is the same as not there: a
// module without dependencies has no go.sum.
type file struct {
	path          string
	before, after []byte
}

func (f file) changed() bool { return !bytes.Equal(f.before, f.after) }

func (f file) write() error {
	if len(f.after) == 0 {
		return os.Remove(f.path)
	}
	return os.WriteFile(f.path, f.after, 0o644)
}

func readIfThere(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
