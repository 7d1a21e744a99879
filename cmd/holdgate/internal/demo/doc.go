// Package demo plays a short piece with real processes: three workers want one lock, one
// of them is killed while it holds it, and a write of the dead one that arrives late
// is refused because of its token.
//
// The story is the same each time; only the numbers differ. Nothing in it waits for
// time to pass, other than for people to read.
package demo
