package etcdembed

import (
	"context"
	"fmt"

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
// this machine. A file of that name is replaced, at the end and in one step. Only its
// owner can read it; it has all keys and values, and what is needed to guess passwords. It
// ends in a hash of the rest, which Restore checks.
func Backup(ctx context.Context, o Options, file string) (Summary, error) {
	c, err := o.ClientConfig()
	if err != nil {
		return Summary{}, err
	}
	// The request for the copy would be repeated for good where nobody answers.
	if err := within(ctx, func(ctx context.Context) error { return answering(ctx, c) }); err != nil {
		return Summary{}, fmt.Errorf("backup: %w", err)
	}
	if _, err := snapshot.SaveWithVersion(ctx, zap.NewNop(), c, file); err != nil {
		return Summary{}, fmt.Errorf("backup: %w", err)
	}
	return summarize(file)
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
