package sqlfence_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/sqlfence"
)

// The whole of a fenced write. examples/orders is a program around it.
func Example() {
	db, err := sql.Open("pgx", "postgres://localhost/shop")
	if err != nil {
		log.Fatal(err)
	}
	fences, err := sqlfence.New(sqlfence.Postgres, nil)
	if err != nil {
		log.Fatal(err)
	}
	ship := func(ctx context.Context, hold *holdgate.Hold, order int64) error {
		pass, err := fence.Of(hold)
		if err != nil {
			return err // the lock was lost
		}
		tx, err := fences.Begin(ctx, db, nil, pass)
		if err != nil {
			return fmt.Errorf("order %d: %w", order, err) // errors.Is(err, fence.ErrStale): another worker has it
		}
		defer func() { _ = tx.Rollback() }() // if it is not committed
		if _, err = tx.ExecContext(ctx, `UPDATE orders SET state = 'shipped' WHERE id = $1`, order); err != nil {
			return err
		}
		return tx.Commit()
	}
	_ = ship
}
