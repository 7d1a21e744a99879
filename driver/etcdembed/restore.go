package etcdembed

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.etcd.io/etcd/server/v3/storage/datadir"
)

// ErrNotEmpty: Restore overwrites no member's data.
var ErrNotEmpty = errors.New("there is a member's data in the directory")

// leastBump is how far Restore sets revisions forward at least.
const leastBump = 1_000_000_000

// maxRevision is the largest revision that a fencing token has room for: it is the
// revision times 256, in 63 bits.
const maxRevision = 1<<55 - 1

// newRevision is what a restored store goes on from. It has to be beyond what the old one
// reached after the backup, which nobody knows. So it is the time in microseconds since
// 1970: no store writes a million times a second, so none overtakes that clock, and a
// second restore is beyond the first. Where the clock is wrong, the bump alone is more
// than a day of 10,000 writes a second.
func newRevision(old int64, now time.Time) int64 {
	return max(old+leastBump, now.UnixMicro())
}

// Restore makes the data of a member out of a backup, in a directory that has none. It is a
// new cluster of one, also when the backup is of one of several; others join it, with
// empty directories. Members that still have data of the old cluster must not be started
// again.
//
// Revisions never go back by it: the next write gets one that is larger than any the old
// store gave. What watchers had seen counts as compacted, so they read again. Everything else
// is as it was in the backup, sessions included: those that nobody renews end when
// their TTL has passed after the start.
func Restore(file, dir string) (Summary, error) {
	found, err := summarize(file)
	if err != nil {
		return Summary{}, err
	}
	target := newRevision(found.Revision, time.Now())
	if target > maxRevision {
		return Summary{}, fmt.Errorf("backup %q: its revision %d is too large for fencing tokens", file, found.Revision)
	}
	d, err := openDir(dir)
	if err != nil {
		return Summary{}, err
	}
	defer d.close()                                                        //nolint:errcheck // nothing was written to the lock
	if err := d.restore(file, uint64(target-found.Revision)); err != nil { //nolint:gosec // both are positive, and the first is larger
		return Summary{}, fmt.Errorf("restore: %w", err)
	}
	found.Revision = target
	return found, nil
}

// restore builds the data aside, and puts it in its place in one step: a restore that
// was cut off leaves no member that could be started.
func (d *dataDir) restore(file string, bump uint64) error {
	final := datadir.ToMemberDir(d.path)
	if _, err := os.Lstat(final); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(ErrNotEmpty, err)
	}
	aside := filepath.Join(d.path, "restoring")
	if err := os.RemoveAll(aside); err != nil { // of a restore that was cut off
		return err
	}
	defer os.RemoveAll(aside)
	f := alone(defaultName, nowhere)
	err := rebuild(snapshot.RestoreConfig{
		SnapshotPath:        file,
		OutputDataDir:       aside,
		Name:                defaultName, // the member tells its own, and its address, when it starts
		PeerURLs:            []string{nowhere},
		InitialCluster:      initialCluster(f.seats),
		InitialClusterToken: f.token,
		RevisionBump:        bump,
		MarkCompacted:       true,
	})
	if err != nil {
		return err
	}
	if err := os.Rename(datadir.ToMemberDir(aside), final); err != nil {
		return err
	}
	return syncDir(d.path)
}

// rebuild runs etcd's part on a goroutine of its own, since etcd ends the one on which it
// meets what it cannot go on from.
func rebuild(c snapshot.RestoreConfig) error {
	var failed, err error
	done := make(chan struct{})
	go func() { // waited for below
		defer close(done)
		lg := newLogger(slog.New(slog.DiscardHandler), slog.LevelError, func(reason error) { failed = reason })
		err = snapshot.NewV3(lg).Restore(c)
	}()
	<-done
	return errors.Join(failed, err)
}

// syncDir puts a renaming on disk. Systems that cannot sync a directory keep the order
// of renamings without.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := fileutil.Fsync(d); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
