package command_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const source = "github.com/holdgate/holdgate/cmd/holdgate"

// A tag for each store leaves its client out of the command.
func TestTagsLeaveClientsOut(t *testing.T) {
	t.Parallel()
	for tag, clients := range map[string][]string{
		"noetcd":  {"go.etcd.io/", "google.golang.org/"},
		"noredis": {"github.com/redis/"},
		"nozk":    {"github.com/go-zookeeper/"},
		"nohttp":  {"holdgate/driver/remotedriver"},
	} {
		deps, err := exec.Command("go", "list", "-tags", tag, "-deps", source).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, client := range clients {
			if strings.Contains(string(deps), client) {
				t.Errorf("with %s it is built from %s", tag, client)
			}
		}
	}
}

// Built with all these tags, which makes it start faster, the command is the same on files,
// and says that it knows no other store.
func TestBuiltForFilesOnly(t *testing.T) {
	t.Parallel()
	lean := filepath.Join(t.TempDir(), "holdgate")
	if out, err := exec.Command("go", "build", "-tags", "noetcd,noredis,nozk,nohttp", "-o", lean, source).CombinedOutput(); err != nil {
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
