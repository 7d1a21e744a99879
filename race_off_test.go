//go:build !race

package holdgate_test

// underRace says that the race detector watches, which makes everything dearer by far.
const underRace = false
