package memdriver_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// A slow watcher gets what changed meanwhile at once: each line whole, as it is now.
func TestWatchCoalesces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		s := open(t, d, time.Hour)
		must(t, s.Enter, claim("a/1", 1))
		must(t, s.Enter, claim("b", 2))
		var seen [][]string
		for snap, err := range d.Watch(t.Context(), driver.Query{Name: "a/", Prefix: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if snap.Full != (len(seen) == 0) {
				t.Errorf("snapshot %d is full: %v", len(seen), snap.Full)
			}
			seen = append(seen, sizes(snap))
			switch len(seen) {
			case 1:
				for n := range 100 {
					must(t, s.Enter, claim("a/1", 10+n))
				}
				must(t, s.Enter, claim("b", 3))
				must(t, s.Enter, claim("a/0", 4))
			case 2:
				leave(t, s, driver.Place{Line: "a/0", ID: id(4)})
			}
			if len(seen) == 3 {
				break
			}
		}
		want := [][]string{{"a/1:1"}, {"a/0:1", "a/1:101"}, {"a/0:0"}}
		if !slices.EqualFunc(seen, want, slices.Equal) {
			t.Errorf("got %v, want %v", seen, want)
		}
	})
}

func sizes(snap driver.Snapshot) []string {
	var out []string
	for _, l := range snap.Lines {
		out = append(out, l.Name+":"+strconv.Itoa(len(l.Places)))
	}
	return out
}

// A watch without a change costs no snapshot, and ends with its context.
func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var snaps int
		var last error
		for _, err := range d.Watch(ctx, driver.Query{Prefix: true}) {
			snaps++
			last = err
		}
		if wantErr(t, last, context.DeadlineExceeded); snaps != 2 {
			t.Errorf("got %d turns, want the first and the error", snaps)
		}
	})
}

// The pushes of a watch can be delayed and broken.
func TestWatchFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		pushes := 0
		d := memdriver.NewStore().Connect(&memdriver.Options{Faults: func(c memdriver.Call) memdriver.Fault {
			if c.Op != memdriver.OpPush {
				return memdriver.Fault{}
			}
			if pushes++; pushes == 1 {
				return memdriver.Fault{AnswerDelay: 5 * time.Second}
			}
			return memdriver.Fault{Err: broken}
		}})
		s := open(t, d, time.Hour)
		start := time.Now()
		var last error
		n := 0
		for _, err := range d.Watch(t.Context(), driver.Query{Name: "l"}) {
			n++
			if last = err; err == nil {
				must(t, s.Enter, claim("l", n))
			}
		}
		wantErr(t, last, broken)
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("ended after %v, want 5s", got)
		}
	})
}

// Whatever ends a watch, the store forgets it.
func TestWatchIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRig(t, memdriver.OpWatch, memdriver.Fault{Lose: memdriver.LoseAnswer})
		for _, err := range r.driver.Watch(t.Context(), driver.Query{Name: "l"}) {
			wantErr(t, err, driver.ErrUnavailable)
		}
		for _, err := range r.sound.Watch(t.Context(), driver.Query{Name: "l"}) {
			wantErr(t, err, nil)
			break
		}
		for _, err := range r.sound.Watch(t.Context(), driver.Query{Name: "l", Once: true}) {
			wantErr(t, err, nil)
		}
		if got := memdriver.Watchers(r.store); got != 0 {
			t.Errorf("%d watchers are registered, want none", got)
		}
	})
}
