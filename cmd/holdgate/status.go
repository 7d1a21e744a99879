package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/driver"
)

func newStatus() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the store, what it guarantees, and how busy it is",
		Long: `Shows which store is used, whether it answers, what it can promise, and how many locks are held
and waited for. Of an etcd, each endpoint: whether a lock can be taken through it, which member
leads, what its version is known to do wrong and which one mends it, alarms, and how large the
database is. Of a ZooKeeper, each server: whether a lock can be taken through it, and, where
its 4lw.commands.whitelist has srvr, its role, version and load. Of a Redis, each server, also
those that sentinels or a cluster tell of: its role and version, its memory, and what there makes
it forget locks.

Exit codes:
  0   the store answers
  64  the command line is wrong
  69  the store cannot be reached

With --json it is one document: {"store", "kind", "default", "reachable", "error", "safety",
"guarantee", "features": {...}, "locks", "held", "waiting", "sessions", "answered_in_seconds",
"endpoints": [...]}. Sessions are those that hold or wait. An endpoint is {"endpoint", "healthy",
"error", "role" ("leader", "follower", "learner"; of a ZooKeeper also "observer", "standalone",
"read-only"; of a Redis "primary", "replica", "sentinel"), "version", "faults",
"answered_in_seconds", "alarms", "warnings", "database_bytes", "quota_bytes", "untold",
"average_latency_seconds", "outstanding_requests", "connections"}; what is unknown is absent.`,
		Example: `  holdgate status
  holdgate status --store etcd://h1:2379,h2:2379,h3:2379 --json`,
		Args:              takes(0, 0, "no arguments", ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return f.status(cmd.Context()) },
	}
	f.register(cmd, "one JSON document")
	return cmd
}

// statusView is the status in JSON.
type statusView struct {
	Store     string `json:"store"`
	Default   bool   `json:"default"`
	Reachable bool   `json:"reachable"`
	Error     string `json:"error,omitempty"`

	// What the store is; absent when it did not let us in.
	Kind      string        `json:"kind,omitempty"`
	Safety    string        `json:"safety,omitempty"`
	Guarantee string        `json:"guarantee,omitempty"`
	Features  *featuresView `json:"features,omitempty"`

	Locks    int     `json:"locks"`
	Held     int     `json:"held"`
	Waiting  int     `json:"waiting"`
	Sessions int     `json:"sessions"`
	Answered float64 `json:"answered_in_seconds"`

	Endpoints []endpointView `json:"endpoints,omitempty"`
}

// featuresView is what the store can do, in JSON.
type featuresView struct {
	Layout      string  `json:"layout"`
	Tokens      bool    `json:"tokens"`
	Fair        bool    `json:"fair"`
	Shared      bool    `json:"shared"`
	KV          bool    `json:"kv"`
	TryAll      bool    `json:"try_all"`
	Inherit     bool    `json:"inherit"`
	MinTTL      float64 `json:"min_ttl_seconds,omitempty"`
	MaxTTL      float64 `json:"max_ttl_seconds,omitempty"`
	ExpirySlack float64 `json:"expiry_slack_seconds"`
	RenewLag    float64 `json:"renew_lag_seconds"`
}

func (f *viewFlags) status(ctx context.Context) error {
	c, s, err := f.look(ctx)
	if exitCode(err) == exitUsage {
		return err
	}
	v := newStatusView(s)
	v.Endpoints = newEndpointViews(inspect(ctx, c, s))
	if c != nil {
		err = errors.Join(v.ask(ctx, c), c.Close(ctx))
	} else {
		v.Error = oneLine(err.Error())
	}
	if f.json {
		return errors.Join(err, show.Document(os.Stdout, v))
	}
	return errors.Join(err, v.print())
}

// inspector is a driver whose store has servers.
type inspector interface {
	Inspect(context.Context) []health.Server
}

// inspect asks the servers of the store, if it has any, also when it did not let us in.
func inspect(ctx context.Context, c *connection, s store.Store) []health.Server {
	if c == nil {
		return s.Inspect(ctx)
	}
	if d, ok := c.driver.(inspector); ok {
		return d.Inspect(ctx)
	}
	return nil
}

// ask asks the store what it can do, and how busy it is.
func (v *statusView) ask(ctx context.Context, c *connection) error {
	v.describe(c.Features())
	begun := time.Now()
	lines, err := c.lines(ctx, "")
	if v.Reachable = err == nil; !v.Reachable {
		v.Error = oneLine(err.Error())
	}
	v.Answered = time.Since(begun).Seconds()
	v.count(lines)
	return err
}

func newStatusView(s store.Store) *statusView {
	return &statusView{Store: s.String(), Default: s.Default}
}

func (v *statusView) describe(f driver.Features) {
	v.Kind, v.Safety, v.Guarantee = f.Store, f.Safety.String(), guarantee(f.Safety)
	v.Features = &featuresView{
		Layout: string(f.Layout), Tokens: f.Tokens, Fair: f.Fair, Shared: f.Shared, KV: f.KV, TryAll: f.TryAll, Inherit: f.Inherit,
		MinTTL: f.MinTTL.Seconds(), MaxTTL: f.MaxTTL.Seconds(), ExpirySlack: f.ExpirySlack.Seconds(), RenewLag: f.RenewLag.Seconds(),
	}
}

// guarantee says what somebody may rely on.
func guarantee(s driver.Safety) string {
	switch s {
	case driver.SafetyLinearizable:
		return "one holder at a time, also through crashes, partitions and changes of leader"
	case driver.SafetySingleMachine:
		return "one holder at a time among the processes of this machine that use this store, also through crashes"
	case driver.SafetyBestEffort:
		return "one holder at a time while the store keeps its data and its clock; a failover or a restart may forget a lock"
	}
	return "unknown"
}

func (v *statusView) count(lines []holdgate.Line) {
	sessions := make(map[string]struct{})
	v.Locks = len(lines)
	for _, l := range lines {
		holders, waiting := show.Split(l)
		v.Held += min(len(holders), 1)
		v.Waiting += waiting
		for _, p := range l.Places {
			if p.Session != "" {
				sessions[p.Session] = struct{}{}
			}
		}
	}
	v.Sessions = len(sessions)
}

func (v *statusView) print() error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	text := show.Text(v.Store)
	if v.Kind != "" {
		text = v.Kind + ": " + text
	}
	if v.Default {
		text += " (the default)"
	}
	fmt.Fprintf(w, "store\t%s\n", text)
	if f := v.Features; f != nil {
		fmt.Fprintf(w, "safety\t%s: %s\n", v.Safety, v.Guarantee)
		fmt.Fprintf(w, "features\t%s\n", f)
		if f.ExpirySlack > 0 {
			fmt.Fprintf(w, "expiry\tup to %gs after the TTL, when a holder is gone without a word\n", f.ExpirySlack)
		}
	}
	if v.Reachable {
		fmt.Fprintf(w, "answers\tyes, in %.1f ms\n", v.Answered*1e3)
		fmt.Fprintf(w, "locks\t%d in use, %d held, %d waiting\n", v.Locks, v.Held, v.Waiting)
		fmt.Fprintf(w, "sessions\t%d that hold or wait\n", v.Sessions)
	} else {
		fmt.Fprintln(w, "answers\tno")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return printEndpoints(os.Stdout, v.Endpoints)
}

func (f featuresView) String() string {
	has := []string{"layout " + f.Layout}
	for _, feature := range []struct {
		there bool
		text  string
	}{
		{f.Tokens, "fencing tokens"},
		{f.Fair, "first come, first served"},
		{f.Shared, "shared locks"},
		{f.KV, "values"},
		{f.TryAll, "several at once"},
		{f.Inherit, "a command keeps its lock if holdgate is killed"},
	} {
		if feature.there {
			has = append(has, feature.text)
		}
	}
	return strings.Join(has, ", ")
}
