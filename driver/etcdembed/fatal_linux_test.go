package etcdembed_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// The disk is full where etcd keeps its log: S78 in its worst form. etcd would end the
// process.
func TestFullDiskEndsTheServerNotTheProcess(t *testing.T) {
	t.Parallel()
	o := alone(t)
	s, err := etcdembed.Start(bounded(t), o)
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, s)
	put(t, c, "a")
	fillDiskUnder(t, filepath.Join(o.Dir, "member", "wal"))

	ctx := bounded(t)
	go func() { _, _ = c.Put(ctx, "b", "") }() // it is never answered; ended with the test
	select {
	case <-s.Done():
	case <-ctx.Done():
		t.Fatal("the server goes on although it cannot write its log")
	}
	wantIs(t, s.Err(), etcdembed.ErrFailed)
	wantIs(t, s.Err(), syscall.ENOSPC)
	wantIs(t, s.Close(), etcdembed.ErrStuck) // etcd cannot stop after that, but it is told in time
	if conn, err := net.Dial("tcp", strings.TrimPrefix(s.Endpoints()[0], "http://")); err == nil {
		conn.Close()
		t.Error("a server that failed still accepts connections")
	}
}

// fillDiskUnder makes every further write of this process to the open files of a directory
// fail for want of space: their descriptors now lead to /dev/full.
func fillDiskUnder(t *testing.T, dir string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range open {
		target, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if !strings.HasPrefix(target, dir+"/") {
			continue
		}
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(full.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		found = true
	}
	if !found {
		t.Fatalf("no open file in %s", dir)
	}
}

func TestDamagedDataFailsTheStart(t *testing.T) {
	t.Parallel()
	o := alone(t)
	s := start(t, o)
	put(t, client(t, s), "a")
	stop(t, s)
	logs, err := filepath.Glob(filepath.Join(o.Dir, "member", "wal", "*.wal"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("the log of the member: %v, %v", logs, err)
	}
	f, err := os.OpenFile(logs[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("not what was written"), 100); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	_, err = etcdembed.Start(bounded(t), o)
	wantIs(t, err, etcdembed.ErrFailed)
}
