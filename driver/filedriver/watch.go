package filedriver

import (
	"context"
	"fmt"
	"iter"
	"time"
	"unicode/utf8"

	"github.com/holdgate/holdgate/driver"
)

const recheck = 200 * time.Millisecond

// Watch yields the lines that the query matches, and then those that changed.
func (d *Driver) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		known := map[string]driver.Line{}
		first := true
		for {
			snap, err := d.snapshot(ctx, q, known, first)
			if err != nil {
				yield(driver.Snapshot{}, err)
				return
			}
			if first || len(snap.Lines) > 0 {
				if !yield(snap, nil) || q.Once {
					return
				}
			}
			first = false
			if err := sleep(ctx, recheck); err != nil {
				yield(driver.Snapshot{}, cancelled(ctx))
				return
			}
		}
	}
}

func checkQuery(q driver.Query) error {
	switch {
	case !q.Prefix:
		return driver.CheckName(q.Name)
	case q.Name == "":
		return nil
	case !utf8.ValidString(q.Name):
		return fmt.Errorf("%w: a prefix is UTF-8, %q is not", driver.ErrInvalid, q.Name)
	}
	return driver.CheckName(q.Name)
}
