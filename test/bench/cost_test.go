package main

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cost is what something took of the machine and of the store.
type cost struct {
	served  map[string]float64 // what the store counted, by the unit of its measure
	server  time.Duration      // of processors, by the store
	clients time.Duration      // by its clients
	mallocs float64            // of the clients
}

// bill adds what each of so many grants cost.
func (a *account) bill(c cost, grants int) {
	n := float64(grants)
	for unit, count := range c.served {
		a.round(unit, count/n)
	}
	a.round("server-ns", float64(c.server)/n)
	a.round("client-ns", float64(c.clients)/n)
	a.round("allocs", c.mallocs/n)
}

// costOf measures something that this process does with a store.
func (s store) costOf(b *testing.B, act func()) cost {
	b.Helper()
	var own ownUse
	c := s.costOfOthers(b, func() {
		before := readOwnUse()
		act()
		own = readOwnUse().since(before)
	})
	c.clients, c.mallocs = own.CPU, own.Mallocs
	return c
}

// costOfOthers measures something that other processes do: what they use themselves, they
// know. The store's own count is asked for before and after its use is read, since that, too,
// costs it something.
func (s store) costOfOthers(b *testing.B, act func()) cost {
	b.Helper()
	served := s.served()
	used := processCPU(b, s.pid)
	act()
	used = processCPU(b, s.pid) - used
	c := cost{served: s.served(), server: used}
	for unit, n := range served {
		c.served[unit] -= n
	}
	return c
}

// ownUse is what this process has used.
type ownUse struct {
	CPU     time.Duration
	Mallocs float64
}

func readOwnUse() ownUse {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	var cpu unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &cpu); err != nil {
		panic(err) // every Linux has it
	}
	return ownUse{time.Duration(cpu.Nano()), float64(memory.Mallocs)}
}

func (u ownUse) since(before ownUse) ownUse {
	return ownUse{u.CPU - before.CPU, u.Mallocs - before.Mallocs}
}

// processCPU is what another process has used of all processors. Linux has a clock for each,
// whose number is made of the process's as in clock_getcpuclockid(3).
func processCPU(b *testing.B, pid int) time.Duration {
	b.Helper()
	const scheduled = 2
	var cpu unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &cpu); err != nil { //nolint:gosec // process numbers have 22 bits
		b.Fatalf("the processor time of process %d: %v", pid, err)
	}
	return time.Duration(cpu.Nano())
}
