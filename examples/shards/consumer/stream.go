package consumer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/sqlfence"
)

// Event is something in a shard of the stream.
type Event struct {
	Shard int
	Seq   int64 // 1, 2, 3 ... in its shard
}

// Stream is the events in the database, and how far each shard was consumed.
type Stream struct {
	db     *sql.DB
	fences *sqlfence.Fences
}

// Open makes the tables if they are not there.
func Open(ctx context.Context, db *sql.DB) (*Stream, error) {
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
		`SELECT pg_advisory_xact_lock(43)`, // two that make the same table at once are in each other's way
		fences.Schema(),
		`CREATE TABLE IF NOT EXISTS events (shard int, seq bigint, PRIMARY KEY (shard, seq))`,
		`CREATE TABLE IF NOT EXISTS positions (shard int PRIMARY KEY, seq bigint NOT NULL)`,
		// It would take an event twice, and in any order.
		`CREATE TABLE IF NOT EXISTS consumed (id bigserial PRIMARY KEY, shard int NOT NULL, seq bigint NOT NULL, member text NOT NULL)`,
	} {
		if _, err = tx.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("make the tables: %w", err)
		}
	}
	if err = tx.Commit(); err != nil {
		return nil, err
	}
	return &Stream{db, fences}, nil
}

// Add adds so many new events to each of the shards.
func (s *Stream) Add(ctx context.Context, shards, n int) error {
	_, err := s.db.ExecContext(ctx, `
		INSERT INTO events (shard, seq)
		SELECT shard, (SELECT coalesce(max(seq), 0) FROM events e WHERE e.shard = s.shard) + n
		FROM generate_series(0, $1::int - 1) AS s (shard), generate_series(1, $2::int) AS n`, shards, n)
	return err
}

// Next returns the next event of a shard, false when all were consumed.
func (s *Stream) Next(ctx context.Context, shard int) (e Event, ok bool, err error) {
	err = s.db.QueryRowContext(ctx, `
		SELECT seq FROM events
		WHERE shard = $1 AND seq > coalesce((SELECT seq FROM positions WHERE shard = $1), 0)
		ORDER BY seq LIMIT 1`, shard).Scan(&e.Seq)
	e.Shard = shard
	if errors.Is(err, sql.ErrNoRows) {
		return e, false, nil
	}
	return e, err == nil, err
}

// Done records that a member has consumed an event, for the holder of the shard's lock alone: a
// *fence.StaleError says that it was granted again since. Who listens to the channel consumed
// is told.
func (s *Stream) Done(ctx context.Context, p fence.Pass, e Event, member string) error {
	tx, err := s.fences.Begin(ctx, s.db, nil, p)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // if it is not committed
	if _, err = tx.ExecContext(ctx, `
		INSERT INTO positions (shard, seq) VALUES ($1, $2)
		ON CONFLICT (shard) DO UPDATE SET seq = excluded.seq`, e.Shard, e.Seq); err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO consumed (shard, seq, member) VALUES ($1, $2, $3)`, e.Shard, e.Seq, member); err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `SELECT pg_notify('consumed', $1)`, member); err != nil {
		return err
	}
	return tx.Commit()
}
