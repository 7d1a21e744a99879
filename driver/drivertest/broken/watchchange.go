package broken

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// Watches that miss some of the changes.
func watchChangeFaults() []Fault {
	return []Fault{
		{
			Name:     "a watch of a prefix does not see new lines",
			CaughtBy: []string{"watch/follows-a-prefix"},
			plant:    func(do *overrides) { do.watch = missNewLines },
		},
		{
			Name:     "a watch sees only who comes and goes",
			CaughtBy: []string{"watch/shows-every-kind-of-change", "evict/shown-by-watch"},
			plant:    func(do *overrides) { do.watch = missUpdates },
		},
		{
			Name:     "a slow consumer misses how it ended",
			CaughtBy: []string{"watch/slow-consumer"},
			plant:    func(do *overrides) { do.watch = dropWhenSlow },
		},
		{
			Name:     "watches take each other's news",
			CaughtBy: []string{"watch/many-at-once"},
			plant:    shareNews,
		},
		{
			Name:     "a prefix ends at a slash",
			CaughtBy: []string{"names/prefixes"},
			plant: func(do *overrides) {
				do.watch = func(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
					return onlyLines(d.Watch(ctx, q), func(l driver.Line) bool {
						whole := !q.Prefix || q.Name == "" || strings.HasSuffix(q.Name, "/")
						return whole || l.Name == q.Name || strings.HasPrefix(l.Name, q.Name+"/")
					})
				}
			},
		},
	}
}

// onlyLines leaves lines out of a watch.
func onlyLines(watch iter.Seq2[driver.Snapshot, error], keep func(driver.Line) bool) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		for s, err := range watch {
			s.Lines = slices.DeleteFunc(s.Lines, func(l driver.Line) bool { return !keep(l) })
			if !yield(s, err) {
				return
			}
		}
	}
}

// missNewLines shows of a prefix the lines that were there at the start.
func missNewLines(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		known := make(map[string]bool)
		for s, err := range d.Watch(ctx, q) {
			if s.Full {
				for _, l := range s.Lines {
					known[l.Name] = true
				}
			}
			s.Lines = slices.DeleteFunc(s.Lines, func(l driver.Line) bool { return q.Prefix && !known[l.Name] })
			if !yield(s, err) {
				return
			}
		}
	}
}

// missUpdates shows a line when other places stand in it than before.
func missUpdates(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	before := make(map[string]string)
	return onlyLines(d.Watch(ctx, q), func(l driver.Line) bool {
		now := who(l)
		changed := before[l.Name] != now
		before[l.Name] = now
		return changed
	})
}

func who(l driver.Line) string {
	ids := make([]string, len(l.Places))
	for i, p := range l.Places {
		ids[i] = p.ID
	}
	return strings.Join(ids, " ")
}

// dropWhenSlow throws away what its consumer is not ready for.
func dropWhenSlow(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		type news struct {
			s   driver.Snapshot
			err error
		}
		ready := make(chan news)
		// Ends with the watch, which ends with the loop below.
		go func() {
			defer close(ready)
			first := true
			for s, err := range d.Watch(watching, q) {
				if first || err != nil {
					first = false
					select {
					case ready <- news{s, err}:
					case <-watching.Done():
					}
					continue
				}
				select {
				case ready <- news{s, err}:
				default:
				}
			}
		}()
		for n := range ready {
			if !yield(n.s, n.err) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(driver.Snapshot{}, context.Cause(ctx))
		}
	}
}

// shareNews tells each change of a line to one of those who watch it.
func shareNews(do *overrides) {
	var (
		mu   sync.Mutex
		told = make(map[string]bool)
	)
	do.watch = func(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
		full := true
		return onlyLines(d.Watch(ctx, q), func(l driver.Line) bool {
			if full {
				full = false
				return true
			}
			mu.Lock()
			defer mu.Unlock()
			change := fmt.Sprint(l.Name, who(l))
			news := !told[change]
			told[change] = true
			return news
		})
	}
}
