package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// runFlags are those of run.
type runFlags struct {
	lockFlags
	wanted
	once
	onBusy  string
	grace   duration
	maxHold duration
}

func newRun() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run NAME... [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command while holding a lock",
		Long: `Runs a command while it holds the lock NAME, and exits with what the command exited with.

Others wait in line, first come, first served. With --shared the lock is shared with others that
say so, and --exclusive writes what they read; with --permits so many at most run at once, with
--all several locks are held together, and with --at-least it is skipped where it has succeeded a
while ago already.

The command is started directly, never by a shell, with this process's standard streams and the
terminal. It gets a process group of its own, to which signals are passed on (INT TERM HUP QUIT
USR1 USR2 WINCH CONT).

When the lock is lost, or is about to be because the store cannot be reached, the command
gets TERM, and KILL before another can get the lock. When the command has ended, whatever
is left of its group gets TERM, and KILL after --grace, before the lock is given
back. A process that leaves the group (a daemon that calls setsid) is not waited for: what
is to run under the lock must stay in the foreground.

When holdgate itself is killed (kill -9), Linux kills the command with it, unless that runs as
another user (sudo). What the command had started goes on, and so does the command elsewhere. In
files the lock is kept for them until the last has ended: holdgate who tells. In other stores it
ends within --ttl. While holdgate is stopped by itself (kill -STOP of its number alone), nobody
watches over the command: then only the fencing token keeps it from a resource that has seen a
larger one.

In the command's environment are HOLDGATE_NAME, HOLDGATE_OWNER, HOLDGATE_TTL (seconds),
HOLDGATE_STORE without user and password, HOLDGATE_HELD, and HOLDGATE_FENCING_TOKEN where the
store gives tokens and nobody else can hold the lock too: larger for every holder, so that a
resource can refuse a writer whose time is over. With --all HOLDGATE_NAME and
HOLDGATE_FENCING_TOKEN have a line for each name, in the order of names. HOLDGATE_HELD has what
this run holds, and those around it: a run inside that waits for one of them is refused, since it
would wait for ever.

` + exitCodes("the lock was lost, or held for --max-hold, and the command was ended") + `

With --json the messages on standard error are JSON, one document a line, each with an
"event": notice, waiting (holder, ahead, waited_seconds), acquired (token), ending (message),
released (held_seconds, exit_code unless 0), failed (message, exit_code). The last one is released
or failed, or with --on-busy skip a notice. "ahead" counts places, with that of the holder.`,
		Example: `  holdgate run nightly -- ./backup.sh
  holdgate run nightly -q --on-busy skip -- ./backup.sh     from cron: once is enough
  holdgate run nightly -q --at-least 1h -- ./backup.sh      from cron on ten machines
  holdgate run catalog --shared -- ./report                 beside others that only read
  holdgate run catalog --exclusive -- ./rebuild             alone, after those who read
  holdgate run gpu --permits 1/4 -- ./train                 four at most, of all machines
  holdgate run --all orders stock -- ./reconcile            both, or none
  holdgate run deploy/web --wait 5m --reason v1.2 -- make deploy
  holdgate run import --max-hold 1h --grace 30s --ttl 2m -- ./import
  holdgate run x --store file:///var/lock/holdgate -- sh -c 'echo $HOLDGATE_FENCING_TOKEN'`,
		Args:              commandArgs(theName, "NAME"),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if err := f.check(cmd, args[:dash]); err != nil {
				return err
			}
			return f.run(cmd.Context(), args[:dash], args[dash:])
		},
	}
	f.lockFlags.register(cmd)
	f.wanted.register(cmd)
	f.once.register(cmd)
	f.registerGrace(cmd)
	flags := cmd.Flags()
	f.onBusy = "fail"
	flags.Var(text{&f.onBusy, "ACTION"}, "on-busy", "what to do when it is busy: fail, or skip (exit 0); without --wait it is not waited for")
	flags.Var(&f.maxHold, "max-hold", "end the command after this long, and exit 79 (default: never)")
	_ = cmd.RegisterFlagCompletionFunc("on-busy", cobra.FixedCompletions([]string{"fail", "skip"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses what can be refused without the store.
func (f *runFlags) check(cmd *cobra.Command, names []string) error {
	for _, name := range names {
		if err := f.lockFlags.check(name); err != nil {
			return err
		}
	}
	if err := f.wanted.check(names); err != nil {
		return err
	}
	if err := f.once.check(f.wanted); err != nil {
		return err
	}
	f.unseen = f.permits.set()
	if f.onBusy != "fail" && f.onBusy != "skip" {
		return usage("--on-busy is fail or skip, not %q", f.onBusy)
	}
	if cmd.Flags().Changed("on-busy") && !f.wait.set {
		f.noWait = true
	}
	if f.onBusy == "skip" && cmd.Flags().Changed("busy-code") {
		return usage("--on-busy skip exits with 0: it excludes -E")
	}
	if f.maxHold.set && f.maxHold.d <= 0 {
		return usage("--max-hold is more than 0s, not %v", f.maxHold.d)
	}
	return f.checkGrace(0)
}

// checkStore refuses what this store cannot do.
func (f *runFlags) checkStore(features driver.Features) error {
	if err := f.lockFlags.checkStore(features); err != nil {
		return err
	}
	if err := f.once.checkStore(features); err != nil {
		return err
	}
	return f.checkGrace(features.RenewLag)
}

func (f *runFlags) registerGrace(cmd *cobra.Command) {
	cmd.Flags().Var(&f.grace, "grace", "how long the command has between TERM and KILL, at most half of --ttl (default: a third of it)")
}

// checkGrace bounds the grace: it has to fit in what is left of the trust even when
// one renewal has failed, or a command would be ended for nothing. Where renewals count
// late, less is left. The bound is the same where nothing expires by time: a
// command line is to mean the same on every store.
func (f *runFlags) checkGrace(lag time.Duration) error {
	return f.grace.between("--grace", 0, graceLimit(f.lifetime(), lag))
}

func graceLimit(ttl, lag time.Duration) time.Duration { return max(ttl/2-lag, 0) }

// graceTime is how long the command has to end.
func (f *runFlags) graceTime(features driver.Features) time.Duration {
	if f.grace.set {
		return f.grace.d
	}
	return min(f.lifetime()/3, graceLimit(f.lifetime(), features.RenewLag))
}

// run acquires the lock, runs the command and gives the lock back.
func (f *runFlags) run(ctx context.Context, names, command []string) error {
	r := f.running()
	r.take = func(c *holdgate.Client) taker { return f.wanted.of(c, names) }
	return r.teller.failed(names[0], r.run(ctx, names, command))
}

// running is a call of run that is to begin.
func (f *runFlags) running() *running {
	return &running{runFlags: f, teller: newTeller(&f.sessionFlags), signals: make(chan os.Signal, 16)}
}
