// Package mutation shows that the simulation finds the mistakes that it is there for.
//
// Its tests plant one mistake at a time in a copy of the core, build the simulation
// with it, and want it to fail: a check that has never failed proves nothing. The check on
// real servers plants some of them too. The mistakes are in mutants.go. The source tree is not touched, and the
// production code has no switches for faults: the go command is told to read the
// changed files in place of the real ones (go help build, -overlay).
package mutation
