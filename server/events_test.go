package server_test

import (
	"context"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// listen listens to events, from after one of them.
func listen(t *testing.T, at, params, last string) sseReader {
	t.Helper()
	return events(t, ask(t, http.MethodGet, at+"/v1/events?"+params, "", "Last-Event-ID: "+last))
}

// until reads events until a line has so many places.
func (s sseReader) until(line string, places int) (id string, full bool) {
	s.Helper()
	for {
		var snap api.Snapshot
		_, id := s.next(&snap)
		for _, l := range snap.Lines {
			if l.Name == line && len(l.Places) == places {
				return id, snap.Full
			}
		}
	}
}

func TestEventsTellAllThatHappens(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	h := hand{T: t, at: at}.open()
	h.take("orders", "")
	stream := listen(t, at, "", "")
	if _, full := stream.until("orders", 1); !full {
		t.Error("the first event is not full")
	}
	p := h.take("invoices", "")
	stream.until("invoices", 1)
	h.decode(h.release("invoices", "&token="+p.Token), http.StatusNoContent, nil)
	stream.until("invoices", 0)
}

// What changed while nobody listened comes, and nothing else does.
func TestLastEventID(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	h := hand{T: t, at: at}.open()
	h.take("orders", "")
	r := ask(t, http.MethodGet, at+"/v1/events", "")
	last, _ := events(t, r).until("orders", 1)
	_ = r.Body.Close()
	h.take("invoices", "")
	var snap api.Snapshot
	again := listen(t, at, "", last)
	again.next(&snap)
	if snap.Full || len(snap.Lines) != 1 || snap.Lines[0].Name != "invoices" {
		t.Errorf("after the event %s came %+v, want the one line that changed", last, snap)
	}
	for _, strange := range []string{"x", "another-1", last + "0", "-1"} {
		snap = api.Snapshot{}
		listen(t, at, "", strange).next(&snap)
		if !snap.Full || len(snap.Lines) != 2 {
			t.Errorf("after the event %q of somebody else came %+v, want all lines", strange, snap)
		}
	}
}

func TestEventsOfAPrefix(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	h := hand{T: t, at: at}.open()
	h.take("a/1", "")
	h.take("b/1", "")
	var snap api.Snapshot
	listen(t, at, "prefix=a/", "").next(&snap)
	if len(snap.Lines) != 1 || snap.Lines[0].Name != "a/1" {
		t.Errorf("got %+v, want a/1 only", snap)
	}
	snap = api.Snapshot{}
	listen(t, at, "name=b/1", "").next(&snap)
	if len(snap.Lines) != 1 || snap.Lines[0].Name != "b/1" {
		t.Errorf("got %+v, want b/1 only", snap)
	}
}

// However many listen, the store has one watch; and one who does not read holds up nobody.
func TestListenersShareOneWatch(t *testing.T) {
	t.Parallel()
	counted := &countWatches{Driver: memdriver.New()}
	_, at := start(t, counted, nil)
	h := hand{T: t, at: at}.open()
	var all []sseReader
	for range 50 {
		all = append(all, listen(t, at, "", ""))
	}
	h.take("orders", "")
	for _, s := range all[1:] { // the first one never reads
		s.until("orders", 1)
	}
	if n := counted.watches.Load(); n != 1 {
		t.Errorf("50 listeners have %d watches at the store, want 1", n)
	}
}

// When the store's watch breaks, listeners are told, and get all that changed afterwards.
func TestEventsAfterAnOutage(t *testing.T) {
	t.Parallel()
	store := memdriver.NewStore()
	way := store.Connect(nil)
	_, at := start(t, way, nil)
	mine, err := store.Connect(nil).Open(t.Context(), driver.SessionOptions{TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	first := listen(t, at, "", "")
	first.next(&api.Snapshot{})
	way.SetLink(memdriver.LinkRefuses)
	var p api.Problem
	if event, _ := first.next(&p); event != api.EventProblem || p.Code != api.CodeUnavailable {
		t.Errorf("got the event %q with %+v, want that the store is unavailable", event, p)
	}
	claim := driver.Claim{Line: "orders", ID: "00000000000000000000000000000001", Kind: driver.KindMutex, Capacity: 1, Units: 1}
	if _, err := mine.Enter(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	way.SetLink(memdriver.LinkUp)
	for {
		r := ask(t, http.MethodGet, at+"/v1/events", "")
		if r.StatusCode == http.StatusOK {
			events(t, r).until("orders", 1)
			return
		}
		_ = r.Body.Close()
		time.Sleep(20 * time.Millisecond)
	}
}

// countWatches counts the watches of a store.
type countWatches struct {
	*memdriver.Driver
	watches atomic.Int32
}

func (c *countWatches) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	c.watches.Add(1)
	return c.Driver.Watch(ctx, q)
}
