package main

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/membership"
)

// joinFlags are those of join.
type joinFlags struct {
	presentFlags
	data string
}

// theGroup is what the commands about groups cannot do without.
const theGroup = "the name of the group"

func newJoin() *cobra.Command {
	f := &joinFlags{}
	cmd := &cobra.Command{
		Use:   "join GROUP [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command as a member of a group",
		Long: `Runs a command, and lets all others see that it runs: holdgate members GROUP lists who is there,
and says who left and who was lost. It is a member before the command begins, and until the command
and all of its group have ended; then it exits with what the command exited with.

` + presentHelp + `

In the command's environment is HOLDGATE_ID, the ID of the member.

` + presentCodes,
		Example: `  holdgate join workers -- ./worker
  holdgate join workers --id worker-7 --data '{"zone": "b"}' -- ./worker`,
		Args:              commandArgs(theGroup, "GROUP"),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command, err := oneBeforeDash(cmd, args)
			if err != nil {
				return err
			}
			f.id = cmp.Or(f.id, f.ownerText(os.Getpid()))
			if err = errors.Join(f.check(name), f.checkID()); err != nil {
				return err
			}
			return f.join(cmd.Context(), name, command)
		},
	}
	f.register(cmd, "who it is among the members (default: the owner); one that is there already is replaced")
	cmd.Flags().Var(text{&f.data, "TEXT"}, "data", "what else others see of it, such as its address")
	return cmd
}

// join runs the command as a member.
func (f *joinFlags) join(ctx context.Context, name string, command []string) error {
	p := f.present(name)
	p.enter = func(ctx context.Context, c *holdgate.Client) (standing, error) {
		m, err := membership.Of(c, name).Join(ctx, f.id, f.data)
		if err != nil {
			return nil, err
		}
		p.leave = m.Leave
		return m, nil
	}
	return p.teller.failed(name, p.run(ctx, command))
}

// presentHelp and presentCodes are what the help says of the commands that let others see something.
const presentHelp = `While the store cannot be reached the command goes on, and others see it until --ttl has passed;
when the store is back they see it again. When somebody asks it to go (holdgate evict), or another
comes with the same ID, the command is ended: TERM, after --grace KILL. When holdgate itself is
killed, Linux kills the command with it, and others see it for at most --ttl.

The command is started directly, never by a shell, with this process's standard streams and the
terminal, in a process group of its own; signals are passed on, as by holdgate run.`

const presentCodes = `Exit codes:
  the command's own, or 128+N when signal N ended it
  64   the command line is wrong, or the name is that of a lock: nothing was started
  69   the store cannot be reached: nothing was started
  79   it was asked to go, or replaced by another with its ID, and the command was ended
  126  the command cannot be executed
  127  the command was not found

With --json the messages on standard error are JSON, one document a line, each with an "event":
notice, present (name, id), ending (message), released (held_seconds, exit_code unless 0), failed
(message, exit_code). The last one is released or failed.`
