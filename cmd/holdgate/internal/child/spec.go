package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// Spec says what to start.
type Spec struct {
	// Path is the file of the program, Args its arguments with its name first, and
	// Env its whole environment.
	Path string
	Args []string
	Env  []string
	// Keep are files that the command is to have open too, under the numbers that they
	// have here: numbers that the caller's caller uses for other files stay theirs.
	Keep []*os.File
}

// The ways in which a command cannot be started.
var (
	ErrNotFound      = errors.New("command not found")
	ErrNotExecutable = errors.New("command cannot be executed")
)

// Find returns the file of a command, looked up as execvp(3) does.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) { // who has "." in PATH wants it there
		return "", startError(name, errors.Unwrap(err))
	}
	return path, nil
}

// startError names the command, and which of the two ways it was.
func startError(name string, err error) error {
	kind := ErrNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		kind = ErrNotFound
	}
	return fmt.Errorf("%w: %q: %w", kind, name, err)
}
