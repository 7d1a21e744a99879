package zk_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// verbatim is a session whose names are paths.
func verbatim(t *testing.T, e *zkserver.Ensemble, o zkdriver.Options) (*zkdriver.Driver, driver.Session) {
	t.Helper()
	o.Verbatim, o.Tick = true, zkserver.Tick
	d, err := zkdriver.New(e.Addresses(), &o)
	if err != nil {
		t.Fatal(err)
	}
	ses, err := d.Open(t.Context(), driver.SessionOptions{TTL: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, ses
}

func claimOf(line, digit string) driver.Claim {
	return driver.Claim{Line: line, ID: strings.Repeat(digit, 32), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

// A name is the path of a node, and the node is what other software uses.
func TestVerbatimNamesArePaths(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	d, ses := verbatim(t, e, zkdriver.Options{})
	peer := client(t, e)
	theirs := zk.NewLock(peer, "/locks/orders", world())
	if err := theirs.Lock(); err != nil {
		t.Fatal(err)
	}
	mine := mustEnter(t, ses, claimOf("/locks/orders", "a"))
	if mine.Granted {
		t.Fatalf("beside a lock of other software: got %+v, want a place that waits", mine)
	}
	if err := theirs.Unlock(); err != nil {
		t.Fatal(err)
	}
	for !mine.Granted {
		var err error
		if mine, err = ses.Wait(bounded(t), mine); err != nil {
			t.Fatal(err)
		}
	}
	l, err := d.Line(t.Context(), "/locks/orders")
	if err != nil || len(l.Places) != 1 || l.Places[0].ID != mine.ID {
		t.Errorf("the line is %+v, error %v, want one place", l, err)
	}
	for _, name := range []string{"orders", "/", "/locks/", "/locks//orders", "/locks/../orders", "/locks/a\x01", "/holdgate", "/holdgate/%sessions/x"} {
		if _, err := ses.Enter(t.Context(), claimOf(name, "b")); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("Enter of %q: got the error %v, want an invalid name", name, err)
		}
	}
}

// One node is a line or the way to others, whoever comes first.
func TestVerbatimParents(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	d, ses := verbatim(t, e, zkdriver.Options{})
	refused := func(c driver.Claim) {
		t.Helper()
		if _, err := ses.Enter(t.Context(), c); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("Enter of %q: got the error %v, want an invalid name", c.Line, err)
		}
		l, err := d.Line(t.Context(), c.Line)
		if err != nil || l.Find(c.ID) >= 0 {
			t.Errorf("the claim that was refused stands: %+v, error %v", l, err)
		}
	}
	enter := func(c driver.Claim) driver.Place {
		t.Helper()
		p, err := ses.Enter(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := enter(claimOf("/locks/orders", "a"))
	refused(claimOf("/locks", "b"))
	try := claimOf("/locks", "c")
	try.Try = true
	refused(try)
	refused(claimOf("/locks/orders/eu", "d"))
	if err := ses.Leave(t.Context(), p.Line, p.ID); err != nil {
		t.Fatal(err)
	}
	enter(claimOf("/jobs", "e"))
	refused(claimOf("/jobs/eu", "f"))
}

// A listing finds the lines wherever they stand, and a watch the ones that come, also where
// there was no node before.
func TestVerbatimListings(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	for _, layout := range []driver.Layout{driver.LayoutQueue, driver.LayoutSingle} {
		t.Run(string(layout), func(t *testing.T) {
			t.Parallel()
			prefix := "/" + string(layout) + "/"
			d, ses := verbatim(t, e, zkdriver.Options{Prefix: prefix, Layout: layout})
			changes, stop := follow(t, d, driver.Query{Prefix: true})
			defer stop()
			changes.wants(t, "")
			names := []string{"orders", "eu/invoices", "eu/west/orders"}
			for i, name := range names {
				if _, err := ses.Enter(t.Context(), claimOf(name, string(rune('a'+i)))); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(names)
			changes.wants(t, strings.Join(names, " "))
			for query, want := range map[string]string{"eu/": "eu/invoices eu/west/orders", "e": "eu/invoices eu/west/orders", "or": "orders", "us": ""} {
				for s, err := range d.Watch(t.Context(), driver.Query{Name: query, Prefix: true, Once: true}) {
					if err != nil {
						t.Fatal(err)
					}
					if got := strings.Join(taken(s.Lines), " "); got != want {
						t.Errorf("listed %q for %q, want %q", got, query, want)
					}
				}
			}
			if err := ses.Leave(t.Context(), "eu/invoices", strings.Repeat("b", 32)); err != nil {
				t.Fatal(err)
			}
			changes.wants(t, "eu/west/orders orders")
			if _, err := ses.Enter(t.Context(), claimOf("eu/invoices", "f")); err != nil {
				t.Fatal(err)
			}
			changes.wants(t, strings.Join(names, " "))
		})
	}
}

// taken are the names of the lines that have places.
func taken(lines []driver.Line) (names []string) {
	for _, l := range lines {
		if len(l.Places) > 0 {
			names = append(names, l.Name)
		}
	}
	return names
}

// followed are the names of the lines that a watch shows, whenever they change.
type followed chan string

func follow(t *testing.T, d driver.Driver, q driver.Query) (f followed, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f = make(followed, 100)
	done := make(chan struct{})
	// Ends with the watch, which stop ends.
	go func() {
		defer close(done)
		now := make(map[string]bool)
		for s, err := range d.Watch(ctx, q) {
			if err != nil {
				return
			}
			for _, l := range s.Lines {
				if now[l.Name] = true; len(l.Places) == 0 {
					delete(now, l.Name)
				}
			}
			f <- strings.Join(slices.Sorted(maps.Keys(now)), " ")
		}
	}()
	return f, func() { cancel(); <-done }
}

// wants waits until these lines, and no others, have places.
func (f followed) wants(t *testing.T, want string) {
	t.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for last := "nothing"; last != want; {
		select {
		case last = <-f:
		case <-limit.C:
			t.Fatalf("the watch shows %q, want %q", last, want)
		}
	}
}
