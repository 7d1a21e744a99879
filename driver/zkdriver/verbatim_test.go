package zkdriver

import (
	"errors"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

func verbatimLayout(t *testing.T, o Options) layout {
	t.Helper()
	o.Verbatim = true
	opts, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return newLayout(opts)
}

func TestVerbatimNames(t *testing.T) {
	t.Parallel()
	bare, below := verbatimLayout(t, Options{}), verbatimLayout(t, Options{Prefix: "/locks/"})
	root := verbatimLayout(t, Options{Prefix: "/"})
	for _, c := range []struct {
		l          layout
		name, path string // no path: refused
	}{
		{bare, "/locks/orders", "/locks/orders"},
		{bare, "/locks/a b", "/locks/a b"},
		{below, "orders", "/locks/orders"},
		{below, "eu/orders", "/locks/eu/orders"},
		{root, "orders", "/orders"},
		{bare, "orders", ""},
		{bare, "/", ""},
		{bare, "/locks/", ""},
		{bare, "/locks//orders", ""},
		{bare, "/locks/..", ""},
		{bare, "/locks/\x01", ""},
		{below, "/orders", ""},
		{bare, "/holdgate", ""}, // above the records
		{bare, "/holdgate/%sessions", ""},
		{bare, "/holdgate/%kv/limit", ""},
		{bare, "/holdgate/orders", "/holdgate/orders"},
		{bare, "", ""},
	} {
		err := c.l.check(c.name)
		switch {
		case c.path == "" && !errors.Is(err, driver.ErrInvalid):
			t.Errorf("%q: got the error %v, want an invalid name", c.name, err)
		case c.path != "" && (err != nil || c.l.line(c.name) != c.path):
			t.Errorf("%q: got the path %q, error %v, want %q", c.name, c.l.line(c.name), err, c.path)
		}
	}
}

func TestNodesThatAreNoPlaces(t *testing.T) {
	t.Parallel()
	places := []string{"_c_" + anID("b") + "-lock-0000000003", "_u_" + anID("b") + "-1", "0123456789"}
	verbatim := verbatimLayout(t, Options{})
	l := verbatim.lineup("/locks", "/locks", append([]string{"orders"}, places...))
	if l.below != "orders" || len(l.places) != 2 {
		t.Errorf("got %q below and %d places, want orders and 2", l.below, len(l.places))
	}
	if err := l.mayHoldPlaces(); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("got the error %v, want an invalid name", err)
	}
	if err := verbatim.lineup("/locks", "/locks", places).mayHoldPlaces(); err != nil {
		t.Error(err)
	}
	// Names that are escaped have no nodes below: what is there is somebody's, and counts.
	if l := (layout{prefix: "/holdgate"}).lineup("locks", "/holdgate/locks", []string{"orders"}); l.below != "" || len(l.places) != 1 {
		t.Errorf("escaped: got %q below and %d places, want none and 1", l.below, len(l.places))
	}
}
