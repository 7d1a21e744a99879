// Package waitgraph finds those who wait for each other: A holds x and waits for y, B holds y
// and waits for x, and neither ever goes on. It reads nothing but lines, as
// [holdgate.Client.Lines] and Watch return them, and takes no part in any lock.
//
// # What it guarantees
//
//   - What it calls stuck stays stuck as long as nobody gives up by himself, if those who hold are
//     those who wait (see Certain). It goes by what can still happen, and not by arrows alone: who
//     waits for one of two permits is stuck only if neither can come back.
//   - Every group of processes that is stuck in a circle is found, with a short way
//     around it. Who only waits behind such a group is no part of it.
//   - [Between] makes one moment of two looks, since the lines of most stores cannot be read at
//     once: what it returns stood together.
//
// # What it does not
//
//   - A client is a process, and its goroutines come and go: that a process holds x and waits
//     for y does not say that x is not given back before y was got. So a cycle is possible,
//     unless it is certain.
//   - A wait with a time limit ends by itself, and so does every cycle that it is a part of.
//   - It sees what the lines tell. Where those who wait leave no place (layout single), and of waits
//     for anything but a line, it sees nothing.
package waitgraph
