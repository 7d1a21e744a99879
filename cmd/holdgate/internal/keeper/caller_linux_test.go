package keeper

import "testing"

func TestParseStat(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stat   string
		parent int
		forked bool
		ok     bool
	}{
		"a part of a shell":      {"42 (sh) S 7 42 3 0 -1 4194368 45 0", 7, true, true},
		"a program of its own":   {"42 (cat) S 7 42 3 0 -1 4194304 45 0", 7, false, true},
		"a name with everything": {"42 (a) S 1 (b) S 7 42 3 0 -1 64 45 0", 7, true, true},
		"cut off":                {"42 (sh) S 7 42", 0, false, false},
		"nothing":                {"", 0, false, false},
		"no number":              {"42 (sh) S x 42 3 0 -1 64 45 0", 0, false, false},
	} {
		parent, forked, ok := parseStat(tc.stat)
		if parent != tc.parent || forked != tc.forked || ok != tc.ok {
			t.Errorf("%s: got %d, %v, %v, want %d, %v, %v", name, parent, forked, ok, tc.parent, tc.forked, tc.ok)
		}
	}
}

func TestIsShell(t *testing.T) {
	t.Parallel()
	for program, want := range map[string]bool{
		"/bin/sh": true, "/usr/bin/bash": true, "/usr/bin/dash": true, "/bin/busybox": true, "/bin/zsh-5.9": true, "/bin/ksh93": true,
		"/usr/bin/python3.12": false, "/usr/sbin/apache2": false, "/usr/bin/perl": false, "": false,
	} {
		if got := isShell(program); got != want {
			t.Errorf("%q: got %v, want %v", program, got, want)
		}
	}
}
