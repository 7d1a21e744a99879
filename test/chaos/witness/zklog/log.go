package zklog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// readAll reads the logs of all servers, a directory each, and returns what was committed,
// in order.
func readAll(dirs []string) ([]transaction, error) {
	logged := make(map[int64]transaction)
	servers := make(map[int64]int)
	for _, dir := range dirs {
		own, err := readDir(dir)
		if err != nil {
			return nil, err
		}
		for zxid, t := range own {
			logged[zxid] = t
			servers[zxid]++
		}
	}
	var committed []transaction
	for _, zxid := range slices.Sorted(maps.Keys(logged)) {
		if servers[zxid] > len(dirs)/2 {
			committed = append(committed, logged[zxid])
		}
	}
	return committed, nil
}

// readDir reads all logs of one server.
func readDir(dir string) (map[int64]transaction, error) {
	files, err := filepath.Glob(filepath.Join(dir, "log.*"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no transaction log in %s", dir)
	}
	all := make(map[int64]transaction)
	for _, name := range files {
		if err := readFile(name, all); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

func readFile(name string, into map[int64]transaction) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	if err := readHeader(in); err != nil {
		return err
	}
	for {
		entry, err := readEntry(in)
		if entry == nil || err != nil {
			return err
		}
		t, err := parse(entry)
		if err != nil {
			return fmt.Errorf("transaction %#x: %w", t.zxid, err)
		}
		into[t.zxid] = t
	}
}

var errFormat = errors.New("this is no transaction log of version 2")

// readHeader reads the file's: a magic word, the version, and a number of no meaning.
func readHeader(in io.Reader) error {
	var head [16]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil // its server was killed when it had just begun
		}
		return err
	}
	if string(head[:4]) != "ZKLG" || binary.BigEndian.Uint32(head[4:]) != 2 {
		return errFormat
	}
	return nil
}

// readEntry reads a checksum, a length, so many bytes, and a B. It returns nil where the log
// ends: files are padded with zeros, and the last entry of a server that was killed may be
// cut off.
func readEntry(in io.Reader) ([]byte, error) {
	var head [12]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, unlessCut(err)
	}
	length := binary.BigEndian.Uint32(head[8:])
	if length == 0 {
		return nil, nil
	}
	entry := make([]byte, length+1)
	if _, err := io.ReadFull(in, entry); err != nil {
		return nil, unlessCut(err)
	}
	if entry[length] != 'B' || uint64(adler32.Checksum(entry[:length])) != binary.BigEndian.Uint64(head[:]) {
		return nil, nil
	}
	return entry[:length], nil
}

func unlessCut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
