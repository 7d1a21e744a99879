package fence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// traffic is many holders at once, with tokens of now and of a while ago. Each one that is
// let in reads how many rows there are and adds the next. So an update that is lost is a
// number that is taken twice, and a holder that was let in too late is a token that is
// smaller than that of the row before.
func (a *arena) traffic() {
	const holders, each, behind = 4, 15, 6
	var grants, written, refused atomic.Int64
	grants.Store(behind)
	var wg sync.WaitGroup
	for range holders {
		wg.Go(func() {
			for range each {
				token := holdgate.Token(grants.Add(1) - rand.Int64N(behind))
				switch err := a.append(token); {
				case err == nil:
					written.Add(1)
				case errors.Is(err, fence.ErrStale):
					refused.Add(1)
				default:
					a.t.Errorf("token %v: %v", token, err)
					return
				}
			}
		})
	}
	wg.Wait()
	tokens := a.rows(a.t.Context(), a.db)
	if len(tokens) != int(written.Load()) {
		a.t.Errorf("%d rows, and %d transactions were let in", len(tokens), written.Load())
	}
	if err := inOrder(tokens); err != nil {
		a.t.Error(err)
	}
	if written.Load() == 0 || refused.Load() == 0 {
		a.t.Errorf("%d were let in and %d refused: that is no test", written.Load(), refused.Load())
	}
}

// append adds the next row, as one holder does.
func (a *arena) append(token holdgate.Token) error {
	for {
		tx, err := a.fences.Begin(a.t.Context(), a.db, a.options(), pass(token))
		if err == nil {
			if err = a.next(tx, token); err == nil {
				err = tx.Commit()
			}
			_ = tx.Rollback() // if it has not ended
		}
		if err == nil || !a.again(err) {
			return err
		}
	}
}

func (a *arena) next(tx *sql.Tx, token holdgate.Token) error {
	ctx := context.WithoutCancel(a.t.Context())
	var rows int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+a.data).Scan(&rows); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, a.sql("INSERT INTO "+a.data+" (id, token) VALUES (?, ?)"), rows+1, int64(token))
	return err
}

// inOrder judges the tokens of what was written, one after the other.
func inOrder(tokens []int64) error {
	if !slices.IsSorted(tokens) {
		return fmt.Errorf("an older holder wrote after a newer one: %v", tokens)
	}
	return nil
}

func TestAHolderThatWritesTooLateIsSeen(t *testing.T) {
	t.Parallel()
	if inOrder([]int64{1, 3, 2, 4}) == nil {
		t.Error("the judge of the traffic accepts an older holder after a newer one")
	}
	if err := inOrder([]int64{1, 1, 2, 4}); err != nil {
		t.Errorf("the judge of the traffic rejects what is in order: %v", err)
	}
}
