package command_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Built with the tag noetcd, which makes it start faster, the command is the same on files, and
// says that it knows no etcd.
func TestBuiltWithoutEtcd(t *testing.T) {
	t.Parallel()
	const source = "github.com/holdgate/holdgate/cmd/holdgate"
	deps, err := exec.Command("go", "list", "-tags", "noetcd", "-deps", source).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"go.etcd.io/", "google.golang.org/"} {
		if strings.Contains(string(deps), heavy) {
			t.Errorf("it is built from %s", heavy)
		}
	}
	lean := filepath.Join(t.TempDir(), "holdgate")
	if out, err := exec.Command("go", "build", "-tags", "noetcd", "-o", lean, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := at(t, "file://"+t.TempDir())
	p.program = lean
	p.run(7, "run", "x", "--", "sh", "-c", "exit 7")
	_, stderr := p.run(64, "run", "x", "--store", "etcd://me:secret@h", "--", "true")
	if want := "holdgate: store URL \"etcd://h\": unknown scheme \"etcd\"; allowed are file:///var/lock/holdgate, or none for the files of this user\n"; stderr != want {
		t.Errorf("it says %q, want %q", stderr, want)
	}
}
