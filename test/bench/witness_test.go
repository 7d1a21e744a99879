package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// witness is memory that several processes share. Only the lock that is measured protects
// it, so that two holders at once lose count.
type witness struct{ page *witnessPage }

type witnessPage struct {
	count uint64 // of those who had the lock
	// turn is odd while a writer has the lock.
	turn uint64
	// left is when the last holder began to give the lock back, in nanoseconds by the wall
	// clock, which all processes of a machine share; or 0.
	left int64
}

// gap is how long a holder takes for one count. Another that comes within it is seen.
const gap = 10 * time.Microsecond

// openWitness opens the witness in a file, which it makes if need be.
func openWitness(path string) (witness, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return witness{}, err
	}
	defer file.Close()
	const size = int(unsafe.Sizeof(witnessPage{}))
	if err := file.Truncate(int64(size)); err != nil {
		return witness{}, err
	}
	memory, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return witness{}, err
	}
	return witness{(*witnessPage)(unsafe.Pointer(&memory[0]))}, nil
}

// pass counts, in steps that somebody else could come between.
func (w witness) pass() {
	seen := atomic.LoadUint64(&w.page.count)
	awhile()
	atomic.StoreUint64(&w.page.count, seen+1)
}

// write counts, and tells readers that it does.
func (w witness) write() error {
	turn := atomic.LoadUint64(&w.page.turn)
	if turn%2 != 0 {
		return errors.New("it does not exclude: a writer met another")
	}
	atomic.StoreUint64(&w.page.turn, turn+1)
	w.pass()
	atomic.StoreUint64(&w.page.turn, turn+2)
	return nil
}

// read looks whether a writer is there, or comes.
func (w witness) read() error {
	turn := atomic.LoadUint64(&w.page.turn)
	awhile()
	if turn%2 != 0 || atomic.LoadUint64(&w.page.turn) != turn {
		return errors.New("it does not exclude: a reader met a writer")
	}
	return nil
}

// awhile takes as long as one count.
func awhile() {
	for begun := time.Now(); time.Since(begun) < gap; {
		runtime.Gosched()
	}
}

// leaves notes that the lock is about to be given back.
func (w witness) leaves() { atomic.StoreInt64(&w.page.left, time.Now().UnixNano()) }

// forget has the next holder come after nobody.
func (w witness) forget() { atomic.StoreInt64(&w.page.left, 0) }

// handOver returns how long before that time the last holder began to give the lock back.
func (w witness) handOver(had time.Time) (time.Duration, bool) {
	left := atomic.LoadInt64(&w.page.left)
	return time.Duration(had.UnixNano() - left), left != 0
}

// hold counts as slowly as somebody works who holds the lock for so long.
func (w witness) hold(length time.Duration) {
	seen := atomic.LoadUint64(&w.page.count)
	time.Sleep(length)
	atomic.StoreUint64(&w.page.count, seen+1)
}

func (w witness) passed() uint64 { return atomic.LoadUint64(&w.page.count) }

func TestWitnessLosesCountWithoutALock(t *testing.T) {
	t.Parallel()
	w, err := openWitness(filepath.Join(t.TempDir(), "witness"))
	if err != nil {
		t.Fatal(err)
	}
	const each = 1_000
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range each {
				w.pass()
			}
		})
	}
	all.Wait()
	if got := w.passed(); got == 4*each {
		t.Errorf("got all %d counts, want some lost", got)
	}
}

func TestWitnessSeesWritersAndReadersAtOnce(t *testing.T) {
	t.Parallel()
	w, err := openWitness(filepath.Join(t.TempDir(), "witness"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.write(), w.read()); err != nil {
		t.Errorf("one after the other: got %v, want none", err)
	}
	w.page.turn++ // as a writer does who is there
	if err := w.read(); err == nil {
		t.Error("a reader beside a writer: got no error")
	}
	if err := w.write(); err == nil {
		t.Error("a writer beside a writer: got no error")
	}
}
