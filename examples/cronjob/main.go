// Command cronjob publishes the exchange rates of the day: once a day, on however many machines
// cron starts it, at the same minute or not.
//
//	0 6 * * *  cronjob -etcd h1:2379,h2:2379,h3:2379 -from https://bank.example/rates -to https://shop.example/rates
//
// One machine does it. The others wait until it is done, say who did it, and end. When that one fails
// or dies in the middle the next one does it, and a machine that was paused, and goes on when another
// has done it, is refused by the shop. Within -window it is not done again: choose that shorter than
// the time between two days' runs, and longer than the clocks of the machines differ.
//
// To try it on one machine, name a directory with -dir in place of -etcd, and start it several times.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/examples/cronjob/rates"
	"github.com/holdgate/holdgate/examples/locks"
)

// settings are the flags.
type settings struct {
	store  locks.Flags
	job    rates.Job
	window time.Duration
}

func main() {
	var s settings
	s.store.Register()
	flag.StringVar(&s.job.From, "from", "", "URL of the bank's rates")
	flag.StringVar(&s.job.To, "to", "", "URL where the shop takes them")
	flag.StringVar(&s.job.Machine, "name", "", "name of this machine (default host:pid)")
	flag.DurationVar(&s.window, "window", time.Hour, "how long it is not done again")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(ctx, s, log); err != nil {
		log.LogAttrs(ctx, slog.LevelError, "ended", slog.Any("err", err))
		os.Exit(1)
	}
}

// run does the job, unless another machine does.
func run(ctx context.Context, s settings, log *slog.Logger) (err error) {
	drv, closeStore, err := s.store.Open()
	if err != nil {
		return err
	}
	defer closeStore()
	client, err := holdgate.New(drv, &holdgate.Options{
		Owner:   s.job.Machine,
		Require: holdgate.Require{Tokens: true}, // without them nothing could be fenced
		Logger:  log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close(context.WithoutCancel(ctx))) }()
	done, err := client.Once(ctx, rates.Lock, s.window, s.job.Run)
	if err != nil {
		return err
	}
	log.LogAttrs(ctx, slog.LevelInfo, "published", slog.Bool("here", done.Ran), slog.String("by", done.By), slog.Time("at", done.At))
	return nil
}
