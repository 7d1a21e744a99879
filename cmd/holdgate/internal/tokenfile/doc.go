// Package tokenfile remembers fencing tokens in a file, for jobs of a shell on one machine.
//
// The file is a JSON object: the largest token of each name, as text. It is replaced as a
// whole and flushed to the disk, so that a crash leaves the old one or the new one. Beside it
// lies FILE.lock, whose lock the kernel frees with the last process that has it open.
//
// A file that is not understood is an error, and so is one that is empty: to take
// that for one without tokens would let everybody in.
package tokenfile
