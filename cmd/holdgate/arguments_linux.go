package main

import "unsafe"

// overwrite overwrites a part of an argument where the kernel shows it. The strings in os.Args
// are that memory, which a process may write to.
func overwrite(arg string, begin, end int) {
	shown := unsafe.Slice(unsafe.StringData(arg), len(arg))
	for i := begin; i < end; i++ {
		shown[i] = 'x'
	}
}
