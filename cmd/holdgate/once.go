package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/driver"
)

// once is what run does with --at-least: nothing, where somebody has done it already.
type once struct{ window duration }

func (o *once) register(cmd *cobra.Command) {
	cmd.Flags().Var(&o.window, "at-least", "let at least this long pass between two runs that succeed, on any machine: skip (exit 0) where less has passed")
}

func (o *once) check(w wanted) error {
	if o.window.set && (w.ofMany() || w.all) {
		return usage("--at-least is for a plain lock: it excludes --shared, --exclusive, --permits and --all")
	}
	return o.window.between("--at-least", holdgate.MinWindow, holdgate.MaxWindow)
}

// checkStore refuses a store that cannot keep what was done.
func (o *once) checkStore(f driver.Features) error {
	if o.window.set && !f.KV {
		return usage("--at-least: a store of %s cannot keep what was done; see holdgate help store for others", f.Store)
	}
	return nil
}

// done reports whether somebody has done it within the time, and says so.
func (o *once) done(ctx context.Context, c *connection, t *teller, name string) (bool, error) {
	if !o.window.set {
		return false, nil
	}
	was, err := c.Outcome(ctx, name)
	if err != nil || was.At.IsZero() {
		return false, err
	}
	t.notice(fmt.Sprintf("skipped: %s was done %s ago by %s", show.Text(name), show.Duration(time.Since(was.At)), show.Text(was.By)))
	return true, nil
}

// record keeps that the command has succeeded. That it could not be kept is said: another may run it
// again.
func (o *once) record(ctx context.Context, t *teller, hold *holdgate.Hold, code int) {
	if !o.window.set || code != 0 {
		return
	}
	if _, err := hold.Record(ctx, o.window.d); err != nil {
		t.say(message{Event: "notice", Message: oneLine(err.Error())})
	}
}
