package waitgraph_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/waitgraph"
)

// found looks twice, as those do who ask a store.
func found(t *testing.T, c *holdgate.Client) []string {
	t.Helper()
	look := func() []holdgate.Line {
		lines, err := c.Lines(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	before := look()
	time.Sleep(time.Second)
	return told(waitgraph.Find(waitgraph.Between(before, look())))
}

func client(t *testing.T, store *memdriver.Store, owner string) *holdgate.Client {
	t.Helper()
	drv := store.Connect(nil)
	c, err := holdgate.New(drv, &holdgate.Options{Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
		_ = drv.Close()
	})
	return c
}

// nested takes one lock, and the other one inside of it.
func nested(ctx context.Context, c *holdgate.Client, outer, inner string) error {
	return c.Do(ctx, outer, func(ctx context.Context, _ *holdgate.Hold) error {
		time.Sleep(time.Millisecond) // so that the others have theirs
		return c.Do(ctx, inner, func(context.Context, *holdgate.Hold) error { return nil })
	})
}

// A real deadlock of three processes: possible as soon as it is there, certain as soon as they have
// told what they hold, and over when one of the waits is ended.
func TestFindOfClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		names := []string{"x", "y", "z"}
		var ended [3]chan error
		for i, name := range names {
			c := client(t, store, name)
			ended[i] = make(chan error, 1)
			go func() { ended[i] <- nested(t.Context(), c, name, names[(i+1)%3]) }() // ends with the deadlock
		}
		doctor := client(t, store, "doctor")
		time.Sleep(10 * time.Millisecond)
		if got := found(t, doctor); len(got) != 1 || got[0][:len("possible")] != "possible" {
			t.Errorf("at first %q was found", got)
		}
		time.Sleep(2 * time.Second)
		if got := found(t, doctor); len(got) != 1 || got[0][:len("certain")] != "certain" {
			t.Errorf("then %q was found", got)
		}
		line, err := doctor.Line(t.Context(), "y")
		if err != nil {
			t.Fatal(err)
		}
		if err = doctor.Evict(t.Context(), "y", line.Places[1].ID, holdgate.Eviction{Reason: "deadlock"}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended[0]; err == nil {
			t.Error("who was evicted was told nothing")
		}
		for _, other := range ended[1:] {
			if err := <-other; err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if got := found(t, doctor); len(got) > 0 {
			t.Errorf("at the end %q was found", got)
		}
	})
}

// Goroutines of one process that wait for each other are seen, though they have one place in each line.
func TestFindInOneProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		c, doctor := client(t, store, "a"), client(t, store, "doctor")
		ctx, giveUp := context.WithCancel(t.Context())
		done := make(chan error, 2)
		for _, names := range [][2]string{{"x", "y"}, {"y", "x"}} {
			go func() { done <- nested(ctx, c, names[0], names[1]) }() // ends with ctx
		}
		time.Sleep(3 * time.Second)
		if got := found(t, doctor); len(got) != 1 || got[0][:len("certain")] != "certain" {
			t.Errorf("%q was found", got)
		}
		giveUp()
		for range 2 {
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("who gave up was told %v", err)
			}
		}
	})
}

// Workers that each take one lock at a time may look as if they waited for each other. It is called
// possible, never certain.
func TestFindOfWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, doctor := client(t, store, "a"), client(t, store, "b"), client(t, store, "doctor")
		hold := func(c *holdgate.Client, name string) *holdgate.Hold {
			h, err := c.RWMutex(name).Lock(t.Context())
			if err != nil {
				t.Error(err)
			}
			return h
		}
		x, y := hold(a, "x"), hold(b, "y")
		done := make(chan struct{}, 2)
		for c, name := range map[*holdgate.Client]string{a: "y", b: "x"} {
			go func() { // ends when the other worker has released
				defer func() { done <- struct{}{} }()
				if h := hold(c, name); h != nil {
					_ = h.Release(t.Context())
				}
			}()
		}
		time.Sleep(5 * time.Second)
		want := []string{"possible: a has x, wants y; b has y, wants x"}
		if got := found(t, doctor); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		for _, h := range []*holdgate.Hold{x, y} {
			if err := h.Release(t.Context()); err != nil {
				t.Error(err)
			}
		}
		<-done
		<-done
		if got := found(t, doctor); len(got) > 0 {
			t.Errorf("at the end %q was found", got)
		}
	})
}
