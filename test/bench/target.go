package main

import "time"

// target is one row of the table: a number, and what it must not exceed.
type target struct {
	what string
	from key
	most float64
}

// targets are the limits that the project set itself.
func targets() []target {
	us, ms := float64(time.Microsecond), float64(time.Millisecond)
	return []target{
		{"memory: lock and unlock, free", key{"MemoryFree", "ns/op"}, 3 * us},
		{"memory: hand-off between goroutines", key{"MemoryHandOff", "ns/op"}, 2 * us},
		{"files: lock and unlock, free", key{"FilesFree", "ns/op"}, 100 * us},
		{"files: hand-over between two processes, p50", key{"FilesHandOver", "p50-ns"}, 1 * ms},
		{"holdgate run x -- true, over only starting true", key{"Run", "over-ns"}, 5 * ms},
		{"200 processes waiting: CPU of one core", key{"Waiting", "cpu-%"}, 1},
		{"200 processes waiting: woken by a hand-over", key{"Waking", "woken"}, 1},
		{"1,000 holds, idle: renewals in a TTL", key{"IdleHolds", "renewals"}, 4},
		{"1,000 holds, idle: CPU of one core", key{"IdleHolds", "cpu-%"}, 1},
		{"1,000 holds, idle: heap", key{"IdleHolds", "heap-B"}, 8 << 20},
	}
}
