package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
)

// electFlags are those of elect.
type electFlags struct {
	runFlags
	value string
}

func newElect() *cobra.Command {
	f := &electFlags{}
	cmd := &cobra.Command{
		Use:   "elect NAME [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command on one of many machines, the leader",
		Long: `Waits until it leads the election NAME, runs a command while it leads, and exits with what the
command exited with. Start it on every machine: on one the command runs, the others stand by.

When leadership is lost, or is about to be because the store cannot be reached, the command is
ended as holdgate run does it, and leadership is given up only when its whole group is gone. Then
it waits for its turn again, also until the store is back: run would exit with 79.

Others see --value with holdgate who NAME. In the command's environment is what run puts
there; HOLDGATE_FENCING_TOKEN is the term, larger for every leader.

` + exitCodes("leadership was lost just when the command had ended"),
		Example: `  holdgate elect indexer -- ./indexer
  holdgate elect indexer --value 10.0.0.1:8080 -- ./indexer
  holdgate elect indexer -n -- ./indexer            only if nobody leads`,
		Args:              commandArgs(theName, "NAME"),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command, err := oneBeforeDash(cmd, args)
			if err != nil {
				return err
			}
			if err = f.check(name); err != nil {
				return err
			}
			return f.elect(cmd.Context(), name, command)
		},
	}
	f.lockFlags.register(cmd)
	f.onBusy = "fail"
	flags := cmd.Flags()
	f.registerGrace(cmd)
	flags.Var(text{&f.value, "TEXT"}, "value", "what others see of the leader: its address, say (default: the owner)")
	return cmd
}

// check refuses what can be refused without the store.
func (f *electFlags) check(name string) error {
	if err := f.lockFlags.check(name); err != nil {
		return err
	}
	return f.checkGrace(0)
}

// elect campaigns, runs the command while it leads, and campaigns again.
func (f *electFlags) elect(ctx context.Context, name string, command []string) error {
	r := f.running()
	r.again = true
	r.take = func(c *holdgate.Client) taker {
		e := c.Election(name)
		return taker{
			wait: func(ctx context.Context) (*holdgate.Hold, error) { return f.lead(ctx, r, e.Campaign) },
			try:  func(ctx context.Context) (*holdgate.Hold, error) { return f.lead(ctx, r, e.TryCampaign) },
		}
	}
	return r.teller.failed(name, r.run(ctx, []string{name}, command))
}

// lead campaigns. Who has led waits for the store to come back, however long it takes.
func (f *electFlags) lead(ctx context.Context, r *running, campaign func(context.Context, string) (*holdgate.Leadership, error)) (*holdgate.Hold, error) {
	for {
		l, err := campaign(ctx, cmp.Or(f.value, r.holder))
		switch {
		case err == nil:
			return l.Hold, nil
		case r.terms == 0, ctx.Err() != nil, !errors.Is(err, holdgate.ErrUnavailable):
			return nil, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
