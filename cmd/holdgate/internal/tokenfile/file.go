package tokenfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// File is a file of tokens, which nobody else may look at or change meanwhile.
type File struct {
	path string
	lock *os.File
}

// Open waits until nobody else has the file open. When ctx ends first, the error is its cause.
func Open(ctx context.Context, path string) (*File, error) {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- lockFile(lock) }() // ends with the lock, or with this process
	select {
	case err = <-locked:
	case <-ctx.Done():
		return nil, context.Cause(ctx) // the file stays open: it is being waited for
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &File{path, lock}, nil
}

// Close lets others in.
func (f *File) Close() error { return f.lock.Close() }

// Lock is the file whose lock keeps the others out, also while another process has it.
func (f *File) Lock() *os.File { return f.lock }

// Check remembers a pass, or answers a *fence.StaleError.
func (f *File) Check(p fence.Pass) error {
	tokens, err := f.read()
	if err != nil {
		return err
	}
	newest := tokens[p.Name]
	if err = p.Against(newest); err != nil || p.Token == newest {
		return err
	}
	tokens[p.Name] = p.Token
	return f.write(tokens)
}

func (f *File) read() (map[string]holdgate.Token, error) {
	tokens := make(map[string]holdgate.Token)
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return tokens, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &tokens)
	}
	if err != nil {
		return nil, fmt.Errorf("tokens in %s: %w", f.path, err)
	}
	if tokens == nil {
		return nil, fmt.Errorf("tokens in %s: null is no list of tokens", f.path)
	}
	return tokens, nil
}

// write replaces the file, so that it is old or new whatever happens meanwhile.
func (f *File) write(tokens map[string]holdgate.Token) error {
	text, err := json.MarshalIndent(tokens, "", "  ")
	if err != nil {
		return err
	}
	fresh := f.path + ".new" // ours alone: we have the lock
	if err = writeThrough(fresh, append(text, '\n')); err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	if err = os.Rename(fresh, f.path); err != nil {
		return err
	}
	return flushDir(filepath.Dir(f.path))
}

// writeThrough writes a file down to the disk.
func writeThrough(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
