package etcdembed_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// limit bounds a step of a test that has no bound of its own. On an idle machine all of
// them take seconds at most.
const limit = 2 * time.Minute

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// dataDir is a directory that Start makes.
func dataDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data")
}

// alone are options for one member, in a directory of its own and on a free port.
func alone(t *testing.T) etcdembed.Options {
	t.Helper()
	return etcdembed.Options{Dir: dataDir(t), Listen: "127.0.0.1:0"}
}

// meeting is alone with a free port for other members.
func meeting(t *testing.T) etcdembed.Options {
	t.Helper()
	o := alone(t)
	o.Listen, o.ListenPeer = freeAddress(t), freeAddress(t)
	return o
}

// freeAddress is one that nobody listened on just now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func start(t *testing.T, o etcdembed.Options) *etcdembed.Server {
	t.Helper()
	s, err := etcdembed.Start(bounded(t), o)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *etcdembed.Server) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func client(t *testing.T, s *etcdembed.Server) *clientv3.Client {
	t.Helper()
	c, err := s.Client()
	if err != nil {
		t.Fatalf("Client: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// put writes a key and returns the revision: the order of a place entered then.
func put(t *testing.T, c *clientv3.Client, key string, opts ...clientv3.OpOption) int64 {
	t.Helper()
	r, err := c.Put(bounded(t), key, "", opts...)
	if err != nil {
		t.Fatalf("Put %q: %v", key, err)
	}
	return r.Header.Revision
}

func exists(t *testing.T, c *clientv3.Client, key string) bool {
	t.Helper()
	r, err := c.Get(bounded(t), key)
	if err != nil {
		t.Fatalf("Get %q: %v", key, err)
	}
	return r.Count == 1
}

// session is a lease with a key on it, as a hold has.
func session(t *testing.T, c *clientv3.Client, key string, ttl time.Duration) clientv3.LeaseID {
	t.Helper()
	l, err := c.Grant(bounded(t), int64(ttl/time.Second))
	if err != nil {
		t.Fatalf("Grant: %v", err)
	}
	put(t, c, key, clientv3.WithLease(l.ID))
	return l.ID
}

func wantIs(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want one that is %q", err, want)
	}
}

// wantField wants an error about one field of the options.
func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var wrong *etcdembed.OptionError
	if !errors.As(err, &wrong) || wrong.Field != field {
		t.Fatalf("got error %v, want one about %s", err, field)
	}
	wantIs(t, err, etcdembed.ErrInvalid)
}
