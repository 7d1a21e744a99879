package filedriver

import (
	"io"
	"os"
)

// maxContent is more than any file of ours has in it.
const maxContent = 64 << 10

// readFile reads a small file. What others have put in its place, a link out of the directory, a
// pipe that nobody writes to, a file without end, is an error, and holds nobody up.
func readFile(path string) ([]byte, error) { return readFileUpTo(path, maxContent) }

func readFileUpTo(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	const regular = 0
	if err := mustBe(f, regular); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
