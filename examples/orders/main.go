// Command orders ships the orders of a shop, on as many machines as you like: each order by
// one worker at a time, and by no worker that was paused and comes back too late.
//
//	orders -db postgres://localhost/shop -etcd h1:2379,h2:2379,h3:2379
//	orders -db postgres://localhost/shop -dir /tmp/locks -new 20    # to try it on one machine
//
// It makes its tables, ships what is pending, and ends. Start it several times at once, kill
// some, stop some: every order is shipped once. What it does for that is in package shipping.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/examples/locks"
	"github.com/holdgate/holdgate/examples/orders/shipping"
)

// settings are the flags.
type settings struct {
	db, name string
	store    locks.Flags
	fresh    int
	pack     time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.db, "db", "", "URL of the PostgreSQL with the orders")
	s.store.Register()
	flag.StringVar(&s.name, "name", "", "name of this worker (default host:pid)")
	flag.IntVar(&s.fresh, "new", 0, "first take so many new orders")
	flag.DurationVar(&s.pack, "pack", 10*time.Millisecond, "how long it takes to pack an order")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(ctx, s, log); err != nil {
		log.LogAttrs(ctx, slog.LevelError, "ended", slog.Any("err", err))
		os.Exit(1)
	}
}

// run is one worker.
func run(ctx context.Context, s settings, log *slog.Logger) (err error) {
	db, err := sql.Open("pgx", s.db)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	drv, closeStore, err := s.store.Open()
	if err != nil {
		return err
	}
	defer closeStore()
	client, err := holdgate.New(drv, &holdgate.Options{
		Owner:   s.name,
		Require: holdgate.Require{Tokens: true}, // without them nothing could be fenced
		Logger:  log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close(context.WithoutCancel(ctx))) }()
	w := &shipping.Worker{Name: s.name, Locks: client, Log: log, Pack: func(ctx context.Context, _ int64) error {
		select { // a robot fetches things from shelves
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(s.pack):
			return nil
		}
	}}
	if w.Orders, err = shipping.Open(ctx, db); err != nil {
		return err
	}
	if err = w.Orders.Add(ctx, s.fresh); err != nil {
		return err
	}
	return w.Run(ctx)
}
