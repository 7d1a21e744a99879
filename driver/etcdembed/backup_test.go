package etcdembed_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// backedUp is a member's options, fixed so that others can reach it, and a backup taken of it
// when it had the key "before" on a session and nothing else.
func backedUp(t *testing.T) (s *etcdembed.Server, file string) {
	t.Helper()
	o := alone(t)
	o.Listen = freeAddress(t)
	s = start(t, o)
	session(t, client(t, s), "before", time.Minute)
	file = filepath.Join(t.TempDir(), "backup")
	sum, err := etcdembed.Backup(bounded(t), o, file)
	if err != nil {
		t.Fatalf("Backup: %v", err)
	}
	if sum.Keys != 1 || sum.Revision < 2 || sum.Size == 0 {
		t.Fatalf("Backup: got %+v, want one key and some revisions", sum)
	}
	return s, file
}

// restored starts a member on what Restore makes of a backup.
func restored(t *testing.T, file string) (etcdembed.Options, *clientv3.Client) {
	t.Helper()
	o := meeting(t)
	if _, err := etcdembed.Restore(file, o.Dir); err != nil {
		t.Fatalf("Restore: %v", err)
	}
	return o, client(t, start(t, o))
}

func TestRestoreNeverSetsTokensBack(t *testing.T) {
	t.Parallel()
	s, file := backedUp(t)
	var last int64
	for range 100 { // tokens that the backup does not know
		last = put(t, client(t, s), "after")
	}
	stop(t, s)

	o, c := restored(t, file)
	if !exists(t, c, "before") || exists(t, c, "after") {
		t.Error("the restored store is not what was backed up")
	}
	next := put(t, c, "next")
	if next <= last {
		t.Errorf("the first token after a restore is %d, but %d was given before", next, last)
	}
	if next >= 1<<55 {
		t.Errorf("revision %d has no room in a fencing token", next)
	}

	// The same backup once more, as after a second disaster.
	_, c = restored(t, file)
	if again := put(t, c, "next"); again <= next {
		t.Errorf("the first token after a second restore is %d, but %d was given before", again, next)
	}
	_ = o
}

// TestBackupTakesNothingElse: what is no file is not replaced by one, and what lies beside it under
// any name is left alone.
func TestBackupTakesNothingElse(t *testing.T) {
	t.Parallel()
	o := alone(t)
	o.Listen = freeAddress(t)
	start(t, o)
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	if _, err := etcdembed.Backup(bounded(t), o, link); err == nil {
		t.Error("a link was taken for a file")
	}
	if to, err := os.Readlink(link); err != nil || to != os.DevNull {
		t.Errorf("the link was replaced: %q, %v", to, err)
	}
	beside := filepath.Join(file+".part", "precious")
	if err := os.MkdirAll(beside, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one replaces a file
		if _, err := etcdembed.Backup(bounded(t), o, file); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(beside); err != nil {
		t.Errorf("what lay beside the file: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}

func TestRestoredMemberIsAMember(t *testing.T) {
	t.Parallel()
	_, file := backedUp(t)
	o, c := restored(t, file)
	given := put(t, c, "a")
	leases, err := c.Leases(bounded(t))
	if err != nil || len(leases.Leases) != 1 {
		t.Fatalf("leases after a restore: %v, error %v, want the one of the backup", leases, err)
	}
	if _, err := c.KeepAliveOnce(bounded(t), leases.Leases[0].ID); err != nil {
		t.Errorf("the session of the backup cannot be renewed: %v", err)
	}

	// It can be restarted, and others can join it.
	c.Close()
	second := start(t, joinerOf(t, o))
	if got := put(t, client(t, second), "b"); got <= given {
		t.Errorf("token of a member that joined: got %d, want more than %d", got, given)
	}
	if voters, _ := members(t, client(t, second)); voters != 2 {
		t.Errorf("got %d voters, want 2", voters)
	}
}

func joinerOf(t *testing.T, o etcdembed.Options) etcdembed.Options {
	t.Helper()
	j := meeting(t)
	j.Join = []string{o.Listen}
	return j
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	s, file := backedUp(t)
	stop(t, s)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte(nil), good...)
	flipped[len(flipped)-100] ^= 1
	for name, damaged := range map[string][]byte{
		"one bit flipped": flipped,
		"cut off":         good[:len(good)-4096],
		"no backup":       []byte("nothing like it"),
		"empty":           nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := filepath.Join(t.TempDir(), "bad")
			if err := os.WriteFile(bad, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			o := alone(t)
			if _, err := etcdembed.Restore(bad, o.Dir); err == nil {
				t.Fatal("a damaged backup is restored")
			}
			// Nothing is left that could be taken for a member.
			if _, err := etcdembed.Restore(file, o.Dir); err != nil {
				t.Errorf("restoring the good one into the same directory: %v", err)
			}
		})
	}
	t.Run("a member's directory", func(t *testing.T) {
		t.Parallel()
		o := alone(t)
		stop(t, start(t, o))
		_, err := etcdembed.Restore(file, o.Dir)
		wantIs(t, err, etcdembed.ErrNotEmpty)
	})
	t.Run("a directory in use", func(t *testing.T) {
		t.Parallel()
		o := alone(t)
		start(t, o)
		_, err := etcdembed.Restore(file, o.Dir)
		wantIs(t, err, etcdembed.ErrInUse)
	})
}
