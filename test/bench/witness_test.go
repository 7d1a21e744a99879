package main

import (
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

// witness is a counter in memory that several processes share. Only the lock that is
// measured protects it, so that two holders at once lose count.
type witness struct{ count *uint64 }

// gap is how long a holder takes for one count. Another that comes within it is seen.
const gap = 10 * time.Microsecond

// openWitness opens the witness in a file, which it makes if need be.
func openWitness(path string) (witness, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return witness{}, err
	}
	defer file.Close()
	const size = int(unsafe.Sizeof(uint64(0)))
	if err := file.Truncate(int64(size)); err != nil {
		return witness{}, err
	}
	memory, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return witness{}, err
	}
	return witness{(*uint64)(unsafe.Pointer(&memory[0]))}, nil
}

// pass counts, in steps that somebody else could come between.
func (w witness) pass() {
	seen := atomic.LoadUint64(w.count)
	for begun := time.Now(); time.Since(begun) < gap; {
		runtime.Gosched()
	}
	atomic.StoreUint64(w.count, seen+1)
}

// hold counts as slowly as somebody works who holds the lock for so long.
func (w witness) hold(length time.Duration) {
	seen := atomic.LoadUint64(w.count)
	time.Sleep(length)
	atomic.StoreUint64(w.count, seen+1)
}

func (w witness) passed() uint64 { return atomic.LoadUint64(w.count) }

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
