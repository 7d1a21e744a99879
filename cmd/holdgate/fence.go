package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/tokenfile"
	"github.com/holdgate/holdgate/fence"
)

func newFence() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fence",
		Short: "Refuse a job that lost its lock and does not know it",
		Long: `For the side that a job writes to: it remembers the largest fencing token that it was shown, and
refuses smaller ones. A job that was paused for so long that its lock went to another is kept
from what the other one writes, whatever it believes.`,
		Example: `  holdgate fence check --file /backup/.fence -- rsync -a /data/ /backup/`,
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFenceCheck())
	return cmd
}

// fenceFlags are those of fence check.
type fenceFlags struct {
	file string
	wait duration
}

func newFenceCheck() *cobra.Command {
	f := &fenceFlags{}
	cmd := &cobra.Command{
		Use:   "check --file FILE [NAME [TOKEN]] [-- COMMAND [ARGUMENT...]]",
		Short: "Check a fencing token, remember it, and perhaps run a command",
		Long: `Looks in FILE for the largest token that it was shown for the lock NAME. When TOKEN is older, it
says so and exits with 79. Else it remembers TOKEN and exits with 0: also for the same token
again, since one holder writes many times.

NAME and TOKEN are those of the command's own lock unless they are given: $HOLDGATE_NAME and
$HOLDGATE_FENCING_TOKEN, which holdgate run sets. FILE belongs to what is written to, on that
machine: for another machine, run it there and give both. It is made when it is not there.

With COMMAND the check and what follows are one: COMMAND runs in place of this process, and until
it and all that it has started have ended, every other check of FILE waits. Without COMMAND the
check says who may write at that moment; a newer holder may come a moment later.

FILE is JSON, {"NAME": "TOKEN"}. Should the locks move to another store, whose tokens begin
elsewhere, remove it while nobody holds them.

Exit codes:
  0    the token is not older than what FILE has seen, or COMMAND's own code
  1    FILE cannot be read or written
  64   the command line is wrong, or there is no token: the store of the lock gives none
  75   another check's COMMAND has not ended within --wait
  79   the token is older: the lock was lost, and others have held it since
  126  COMMAND cannot be executed
  127  COMMAND was not found`,
		Example: `  holdgate run backup -- holdgate fence check --file /backup/.fence -- rsync -a /data/ /backup/
  holdgate run backup -- \
    sh -c 'ssh nas holdgate fence check --file /backup/.fence backup $HOLDGATE_FENCING_TOKEN'`,
		Args:              fenceArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, command := splitAtDash(cmd, args)
			p, err := passOf(before)
			if err != nil {
				return err
			}
			if f.file == "" {
				return usage("--file is missing: where the tokens of what you write to are remembered")
			}
			if err = f.wait.between("--wait", 0, holdgate.MaxTTL); err != nil {
				return err
			}
			return f.check(cmd.Context(), p, command)
		},
	}
	flags := cmd.Flags()
	flags.Var(text{&f.file, "FILE"}, "file", "the file where the tokens are remembered (required)")
	flags.Var(&f.wait, "wait", "wait for other checks of the file for this long at most (default: for as long as it takes)")
	_ = cmd.MarkFlagFilename("file")
	return cmd
}

// splitAtDash parts the arguments from the command that follows "--".
func splitAtDash(cmd *cobra.Command, args []string) (before, command []string) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[:dash], args[dash:]
	}
	return args, nil
}

func fenceArgs(cmd *cobra.Command, args []string) error {
	before, command := splitAtDash(cmd, args)
	switch {
	case len(before) > 2:
		return usage("it takes the name of a lock and a token, not %d arguments; a command goes after --", len(before))
	case cmd.ArgsLenAtDash() >= 0 && len(command) == 0:
		return usage("the command after -- is missing")
	}
	return nil
}

// passOf is what is to be checked: of the arguments, or of the lock that this runs under.
func passOf(args []string) (fence.Pass, error) {
	name, token := os.Getenv(nameVariable), os.Getenv(tokenVariable)
	if len(args) > 0 {
		if name != args[0] {
			token = "" // it is that of another lock
		}
		name = args[0]
	}
	if len(args) > 1 {
		token = args[1]
	}
	switch {
	case name == "" && len(args) == 0:
		return fence.Pass{}, usage("the name of the lock is missing, and $%s is not set: this is not run under a lock", nameVariable)
	case token == "":
		return fence.Pass{}, usage("the token of %q is missing: it is not given, and $%s is not that of this lock, or its store gives none", name, tokenVariable)
	}
	if err := checkName(name); err != nil {
		return fence.Pass{}, err
	}
	t, err := holdgate.ParseToken(token)
	if err != nil {
		return fence.Pass{}, usage("%w", err)
	}
	p := fence.Pass{Name: name, Token: t}
	if err = p.Check(); err != nil {
		return p, usage("%w", err)
	}
	return p, nil
}

// check checks the pass, and goes on as the command if there is one.
func (f *fenceFlags) check(ctx context.Context, p fence.Pass, command []string) error {
	program := ""
	if len(command) > 0 {
		var err error
		if program, err = child.Find(command[0]); err != nil {
			return err
		}
	}
	if f.wait.set {
		late := fmt.Errorf("%w: another check of %s still runs its command after %v", errTimedOut, f.file, f.wait.d)
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, max(f.wait.d, time.Millisecond), late)
		defer stop()
	}
	file, err := tokenfile.Open(ctx, f.file)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // what was written is on the disk
	if err = file.Check(p); err != nil {
		return refusal(err)
	}
	if len(command) == 0 {
		return nil
	}
	return become(program, command, file.Lock())
}

// refusal gives the code of a lost lock to a stale token.
func refusal(err error) error {
	if errors.Is(err, fence.ErrStale) {
		return &exitError{code: exitLost, err: err}
	}
	return err
}
