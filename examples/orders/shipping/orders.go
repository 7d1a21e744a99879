package shipping

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/sqlfence"
)

// Orders are the orders in the database.
type Orders struct {
	db     *sql.DB
	fences *sqlfence.Fences
}

// Open makes the tables if they are not there.
func Open(ctx context.Context, db *sql.DB) (*Orders, error) {
	fences, err := sqlfence.New(sqlfence.Postgres, nil)
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // if it is not committed
	for _, statement := range []string{
		`SELECT pg_advisory_xact_lock(42)`, // two that make the same table at once are in each other's way
		fences.Schema(),
		`CREATE TABLE IF NOT EXISTS orders (id bigserial PRIMARY KEY, shipped boolean NOT NULL DEFAULT false)`,
		// It would take a second parcel for an order.
		`CREATE TABLE IF NOT EXISTS parcels (order_id bigint NOT NULL REFERENCES orders, worker text NOT NULL)`,
	} {
		if _, err = tx.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("make the tables: %w", err)
		}
	}
	if err = tx.Commit(); err != nil {
		return nil, err
	}
	return &Orders{db, fences}, nil
}

// Add adds new orders.
func (o *Orders) Add(ctx context.Context, n int) error {
	_, err := o.db.ExecContext(ctx, `INSERT INTO orders (shipped) SELECT false FROM generate_series(1, $1::int)`, n)
	return err
}

// Pending returns the orders that are not shipped.
func (o *Orders) Pending(ctx context.Context) (ids []int64, err error) {
	rows, err := o.db.QueryContext(ctx, `SELECT id FROM orders WHERE NOT shipped ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		if err = rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// Shipped reports whether somebody has shipped the order.
func (o *Orders) Shipped(ctx context.Context, id int64) (shipped bool, err error) {
	err = o.db.QueryRowContext(ctx, `SELECT shipped FROM orders WHERE id = $1`, id).Scan(&shipped)
	return shipped, err
}

// Ship records that a worker has packed the order and hands it over, for the holder of the
// order's lock alone: a *fence.StaleError says that it was granted again since.
func (o *Orders) Ship(ctx context.Context, p fence.Pass, id int64, worker string) error {
	tx, err := o.fences.Begin(ctx, o.db, nil, p)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // if it is not committed
	if _, err = tx.ExecContext(ctx, `UPDATE orders SET shipped = true WHERE id = $1`, id); err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO parcels (order_id, worker) VALUES ($1, $2)`, id, worker); err != nil {
		return err
	}
	return tx.Commit()
}
