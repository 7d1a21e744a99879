package broken

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

type watchFunc = func(context.Context, driver.Driver, driver.Query) iter.Seq2[driver.Snapshot, error]

func watchFaults() []Fault {
	return []Fault{
		{
			Name:     "a watch withholds the last state",
			CaughtBy: []string{"watch/follows-one-line", "watch/ends-on-the-last-state"},
			plant:    func(do *overrides) { do.watch = withholdLast },
		},
		{
			Name:     "a watch does not tell that a line is empty",
			CaughtBy: []string{"watch/shows-empty", "expiry/shown-by-watch"},
			plant: func(do *overrides) {
				do.watch = changeSnapshots(func(s driver.Snapshot) driver.Snapshot {
					s.Lines = slices.DeleteFunc(s.Lines, func(l driver.Line) bool { return len(l.Places) == 0 })
					return s
				})
			},
		},
		{
			Name:     "a watch of nothing tells nothing",
			CaughtBy: []string{"watch/first-is-full", "watch/once-lists"},
			plant:    func(do *overrides) { do.watch = hideEmptyStart },
		},
		{
			Name:     "a watch goes back",
			CaughtBy: []string{"watch/ends-on-the-last-state", "watch/shows-empty"},
			plant:    func(do *overrides) { do.watch = goBack },
		},
		{
			Name:     "a watch shows lines that nobody asked for",
			CaughtBy: []string{"watch/follows-one-line", "watch/once-lists"},
			plant: func(do *overrides) {
				do.watch = func(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
					if driver.CheckName(q.Name) == nil {
						q.Prefix = true
					}
					return d.Watch(ctx, q)
				}
			},
		},
		{
			Name:     "a watch is full at the start only in name",
			CaughtBy: []string{"watch/first-is-full", "watch/once-lists"},
			plant: func(do *overrides) {
				do.watch = changeSnapshots(func(s driver.Snapshot) driver.Snapshot {
					s.Full = false
					return s
				})
			},
		},
		{
			Name:     "leaving a watch takes long",
			CaughtBy: []string{"watch/left-by-its-consumer"},
			plant:    func(do *overrides) { do.watch = lingerAfter },
		},
		{
			Name:     "a watch ends without an error",
			CaughtBy: []string{"watch/ends-with-its-context", "closed/calls-under-way"},
			plant:    func(do *overrides) { do.watch = endSilently },
		},
	}
}

func changeSnapshots(change func(driver.Snapshot) driver.Snapshot) watchFunc {
	return func(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
		return func(yield func(driver.Snapshot, error) bool) {
			for s, err := range d.Watch(ctx, q) {
				if !yield(change(s), err) {
					return
				}
			}
		}
	}
}

// withholdLast tells a change when the next one has come.
func withholdLast(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		var held []driver.Snapshot
		for s, err := range d.Watch(ctx, q) {
			if s.Full || err != nil {
				if !yield(s, err) {
					return
				}
				continue
			}
			if held = append(held, s); len(held) > 1 {
				if !yield(held[0], nil) {
					return
				}
				held = held[1:]
			}
		}
	}
}

// hideEmptyStart waits with its first snapshot until there is something to show.
func hideEmptyStart(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		started := false
		for s, err := range d.Watch(ctx, q) {
			if err == nil && !started && len(names(s)) == 0 {
				continue
			}
			if !started {
				s.Full, started = true, true
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func names(s driver.Snapshot) []string {
	var names []string
	for _, l := range s.Lines {
		if len(l.Places) > 0 {
			names = append(names, l.Name)
		}
	}
	return names
}

// goBack tells each change twice, and what was before it in between.
func goBack(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		var before driver.Snapshot
		for s, err := range d.Watch(ctx, q) {
			if !yield(s, err) {
				return
			}
			if err == nil && !s.Full && !(yield(before, nil) && yield(s, nil)) {
				return
			}
			before = driver.Snapshot{Lines: slices.Clone(s.Lines)}
		}
	}
}

func endSilently(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		for s, err := range d.Watch(ctx, q) {
			if err != nil || !yield(s, nil) {
				return
			}
		}
	}
}

// lingerAfter keeps its consumer when it wants to go.
func lingerAfter(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		for s, err := range d.Watch(ctx, q) {
			if !yield(s, err) {
				time.Sleep(8 * time.Second)
				return
			}
		}
	}
}
