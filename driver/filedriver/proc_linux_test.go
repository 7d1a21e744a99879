package filedriver

import (
	"os"
	"testing"
)

func TestFindLock(t *testing.T) {
	t.Parallel()
	const locks = `1: POSIX  ADVISORY  WRITE 100 fd:00:7 0 EOF
2: FLOCK  ADVISORY  WRITE 4711 fd:00:77 0 EOF
2: -> FLOCK  ADVISORY  WRITE 4712 fd:00:77 0 EOF
3: FLOCK  ADVISORY  READ  0 fd:00:78 0 EOF
4: FLOCK
`
	for file, want := range map[string]int{"fd:00:77": 4711, "fd:00:7": 0, "fd:00:78": 0, "fd:00:79": 0} {
		if got := findLock(locks, file); got != want {
			t.Errorf("who has %s: %d, want %d", file, got, want)
		}
	}
}

func TestParseStartTime(t *testing.T) {
	t.Parallel()
	const rest = " S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 6 7"
	for stat, want := range map[string]string{
		"42 (cat)" + rest: "12345", "42 (a) b) c)" + rest: "12345", "42 (cat) S 1": "", "": "",
	} {
		if got := parseStartTime(stat); got != want {
			t.Errorf("the start in %q is %q, want %q", stat, got, want)
		}
	}
	if startTime(os.Getpid()) == "" {
		t.Error("this process has no start")
	}
}

func TestUnusableFileSystem(t *testing.T) {
	t.Parallel()
	if name, err := unusableFileSystem(t.TempDir()); name != "" || err != nil {
		t.Errorf("the directory of tests: %q, %v", name, err)
	}
	for magic, name := range map[uint32]string{0x6969: "nfs", 0xFF534D42: "cifs", 0xFE534D42: "smb2", 0x65735546: "fuse", 0x01021997: "9p"} {
		if got := remote()[magic]; got != name {
			t.Errorf("%#x is %q, want %q", magic, got, name)
		}
	}
}
