//go:build unix

package filedriver

import (
	"os"
	"syscall"
	"testing"
)

// roleVariable has the test binary play another process than the tests.
const roleVariable = "FILEDRIVER_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// play runs a role to its end, which is mostly a signal.
func play(role string) int {
	syscall.Umask(0o077) // the modes of files must not depend on it
	roles := map[string]func(*actor){
		"crash":   playCrash,
		"hold":    playHold,
		"relay":   playRelay,
		"look":    playLook,
		"freeze":  playFreeze,
		"permits": playPermits,
		"starve":  playStarve,
		"wrap":    playWrap,
		"wait":    playWait,
		"stress":  playStress,
	}
	a := newActor()
	if role != "wrap" { // which passes its input on
		a.obey()
	}
	roles[role](a)
	return 0
}
