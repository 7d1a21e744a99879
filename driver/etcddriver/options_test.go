package etcddriver

import (
	"context"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]Options{
		"Prefix":  {Prefix: "/app/"},
		"Records": {Verbatim: true, Records: "/app/"},
		"Layout":  {Layout: "tree"},
	} {
		if _, err := o.withDefaults(); err == nil || !strings.Contains(err.Error(), "Options."+field) {
			t.Errorf("got the error %v, want one that names %s", err, field)
		}
	}
	for _, path := range []string{"/a\x00b", "/\xff"} {
		if _, err := (&Options{Prefix: path}).withDefaults(); err == nil {
			t.Errorf("the prefix %q is taken", path)
		}
	}
}

func TestOptionsAreNotChanged(t *testing.T) {
	t.Parallel()
	o := Options{Verbatim: true}
	if _, err := o.withDefaults(); err != nil {
		t.Fatal(err)
	}
	if o != (Options{Verbatim: true}) {
		t.Errorf("the caller's options are now %+v", o)
	}
}

// The client of an embedded server has no connection, and hung for good when many
// waits ended at once. Such a server is reached by its socket.
func TestNewNeedsAConnection(t *testing.T) {
	t.Parallel()
	if _, err := New(clientv3.NewCtxClient(context.Background()), nil); err == nil || !strings.Contains(err.Error(), "socket") {
		t.Errorf("got the error %v, want one that names the way", err)
	}
	if _, err := New(nil, nil); err == nil {
		t.Error("no client at all is taken")
	}
}
