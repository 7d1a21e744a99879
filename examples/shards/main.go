// Command shards consumes a stream of events, together with as many others as you start: each
// takes its share of the shards, and takes over those of one that ends, dies or is cut off.
//
//	shards -db postgres://localhost/shop -etcd h1:2379,h2:2379,h3:2379
//	shards -db postgres://localhost/shop -dir /tmp/locks -new 100    # to try it on one machine
//
// It runs until it is interrupted. Start it several times, kill some, stop some, start more: the
// events of a shard are consumed in order, and none is recorded twice. While it runs
//
//	holdgate members shards --store file:///tmp/locks
//	holdgate ls shards/ --store file:///tmp/locks
//
// show who is there, and who has which shard. How it is done is in package consumer.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/examples/locks"
	"github.com/holdgate/holdgate/examples/shards/consumer"
)

// settings are the flags.
type settings struct {
	db, name string
	store    locks.Flags
	shards   int
	fresh    int
	poll     time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.db, "db", "", "URL of the PostgreSQL with the events")
	s.store.Register()
	flag.StringVar(&s.name, "name", "", "name of this member (default host:pid)")
	flag.IntVar(&s.shards, "shards", 12, "how many shards the stream has; the same for all members")
	flag.IntVar(&s.fresh, "new", 0, "first add so many events to each shard")
	flag.DurationVar(&s.poll, "poll", 200*time.Millisecond, "how often a shard without events is looked at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(ctx, s, log); err != nil {
		log.LogAttrs(ctx, slog.LevelError, "ended", slog.Any("err", err))
		os.Exit(1)
	}
}

// run is one member.
func run(ctx context.Context, s settings, log *slog.Logger) (err error) {
	if s.name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		s.name = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
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
	stream, err := consumer.Open(ctx, db)
	if err != nil {
		return err
	}
	if err = stream.Add(ctx, s.shards, s.fresh); err != nil {
		return err
	}
	c := &consumer.Consumer{
		Name: s.name, Group: "shards", Client: client, Stream: stream, Shards: s.shards, Poll: s.poll, Log: log,
		Handle: func(context.Context, consumer.Event) error { return nil }, // here something is done with it
	}
	return c.Run(ctx)
}
