package etcdembed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/snapshot"
	inspect "go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// Summary says what a backup has in it.
type Summary struct {
	Revision int64 // of the newest write
	Keys     int
	Size     int64 // bytes
}

// Backup copies the store to a file, from the member that was started with these options on
// this machine. A regular file of that name is replaced, at the end and in one step; anything
// else is refused. Only its owner can read it; it has all keys and values, and what is needed
// to guess passwords. It ends in a hash of the rest, which Restore checks.
func Backup(ctx context.Context, o Options, file string) (Summary, error) {
	c, err := o.ClientConfig()
	if err != nil {
		return Summary{}, err
	}
	// The request for the copy would be repeated for good where nobody answers.
	if err := within(ctx, func(ctx context.Context) error { return answering(ctx, c) }); err != nil {
		return Summary{}, fmt.Errorf("backup: ask the member at %s: %w", c.Endpoints[0], err)
	}
	found, err := save(ctx, c, file)
	if err != nil {
		return Summary{}, fmt.Errorf("backup: %w", err)
	}
	return found, nil
}

// save writes the copy in a directory beside the file that nobody else can enter, and gives it its
// name when it is whole and can be read.
func save(ctx context.Context, c clientv3.Config, file string) (Summary, error) {
	if err := replaceable(file); err != nil {
		return Summary{}, err
	}
	aside, err := os.MkdirTemp(filepath.Dir(file), ".backup-*")
	if err != nil {
		return Summary{}, err
	}
	defer os.RemoveAll(aside)
	copied := filepath.Join(aside, filepath.Base(file))
	if _, err := snapshot.SaveWithVersion(ctx, zap.NewNop(), c, copied); err != nil {
		return Summary{}, err
	}
	found, err := summarize(copied)
	if err != nil {
		return Summary{}, err
	}
	return found, os.Rename(copied, file)
}

// replaceable refuses what the backup would take the place of though it is no file: root would
// take /dev/null, or /dev/stdout, from the whole machine.
func replaceable(file string) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file, and a backup would replace it by one", file)
	}
	return nil
}

// answering asks the member for a sign of life.
func answering(ctx context.Context, c clientv3.Config) error {
	return with(c, func(client *clientv3.Client) error {
		_, err := client.Status(ctx, c.Endpoints[0])
		return err
	})
}

// summarize reads a backup. It finds one that is damaged inside.
func summarize(file string) (Summary, error) {
	status, err := inspect.NewV3(zap.NewNop()).Status(file)
	if err != nil {
		return Summary{}, fmt.Errorf("backup %q: %w", file, err)
	}
	return Summary{Revision: status.Revision, Keys: status.TotalKey, Size: status.TotalSize}, nil
}
