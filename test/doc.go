// Package test holds what needs several modules at once: the conformance runs of
// the drivers, scenarios across processes, the benchmarks, and the rules of the
// architecture. It is never released, so it may require what no user should have to.
package test
