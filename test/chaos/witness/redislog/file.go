package redislog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// command is one of the file: its name and its arguments.
type command []string

// is reports whether the command is this one.
func (c command) is(name string) bool { return len(c) > 1 && strings.EqualFold(c[0], name) }

// readFile reads the transactions of a server's append-only file: what it did in one step,
// a script for example. The file is the only one: nobody lets it be rewritten.
func readFile(dir string) ([][]command, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.incr.aof"))
	if err != nil {
		return nil, err
	}
	if len(names) != 1 {
		return nil, fmt.Errorf("%d append-only files in %s, want one", len(names), dir)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		return nil, err
	}
	return transactions(bytes.NewReader(text))
}

// transactions reads all that are complete.
func transactions(in io.Reader) ([][]command, error) {
	r := bufio.NewReader(in)
	var all [][]command
	var open []command
	inside := false
	for {
		c, err := readCommand(r)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("after %d transactions: %w", len(all), err)
		case strings.EqualFold(c[0], "multi"):
			open, inside = nil, true
		case strings.EqualFold(c[0], "exec"):
			all, inside = append(all, open), false
		case inside:
			open = append(open, c)
		default:
			all = append(all, []command{c})
		}
	}
}

var errFormat = errors.New("this is no append-only file")

// readCommand reads "*<n>" and n texts, "$<length>" and so many bytes.
func readCommand(r *bufio.Reader) (command, error) {
	n, err := readNumber(r, '*')
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, errFormat
	}
	c := make(command, n)
	for i := range c {
		length, err := readNumber(r, '$')
		if err != nil {
			return nil, err
		}
		text := make([]byte, length+2)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, err
		}
		c[i] = string(text[:length])
	}
	return c, nil
}

func readNumber(r *bufio.Reader, mark byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(line[1:]))
	if line[0] != mark || err != nil || n < 0 {
		return 0, fmt.Errorf("%w: %q", errFormat, line)
	}
	return n, nil
}
