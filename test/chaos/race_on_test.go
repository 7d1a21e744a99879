//go:build race

package chaos

// raceEnabled: the client processes are built with the race detector, too.
const raceEnabled = true
