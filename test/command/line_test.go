package command_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// await returns when so many places stand in a line.
func await(t *testing.T, c *etcdserver.Cluster, name string, want int) {
	t.Helper()
	if err := stands(c.Endpoints(), "", name, want); err != nil {
		t.Fatal(err)
	}
}

// stands returns when so many places stand in a line below a prefix.
func stands(endpoints []string, prefix, name string, want int) error {
	ctx, stop := context.WithTimeout(context.Background(), soon)
	defer stop()
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	defer client.Close()
	drv, err := etcddriver.New(client, &etcddriver.Options{Prefix: prefix})
	if err != nil {
		return err
	}
	defer drv.Close()
	for s, err := range drv.Watch(ctx, driver.Query{Name: name}) {
		if err != nil {
			return fmt.Errorf("%d in line for %q: %w", want, name, err)
		}
		if places(s) == want {
			return nil
		}
	}
	return errors.New("the watch ended")
}

func places(s driver.Snapshot) int {
	if len(s.Lines) == 0 {
		return 0
	}
	return len(s.Lines[0].Places)
}
