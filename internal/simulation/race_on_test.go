//go:build race

package simulation_test

// raceDetector tells whether it is on.
const raceDetector = true
