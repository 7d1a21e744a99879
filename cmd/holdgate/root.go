package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// execute runs the command line and returns the exit code.
func execute(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	report(cmd, args, err)
	return exitCode(err)
}

func newRoot() *cobra.Command {
	var asksVersion bool
	root := &cobra.Command{
		Use:   "holdgate",
		Short: "Distributed locks for the shell",
		Long: `Holdgate lets two processes not do the same thing at once: on one machine with nothing
to set up, and on many with a store that all of them reach.`,
		Example: `  holdgate run nightly -- ./backup.sh        run it unless it runs already: wait in line
  holdgate run nightly -n -- ./backup.sh     do not wait
  holdgate ls                                who holds what
  holdgate demo                              see it work`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asksVersion {
				return printVersion()
			}
			return cmd.Help()
		},
		SilenceErrors: true,
		SilenceUsage:  true,

		SuggestionsMinimumDistance: 2,
	}
	root.Flags().BoolVar(&asksVersion, "version", false, "print the version")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(
		newRun(), newElect(), newJoin(), newRegister(), newAcquire(), newRelease(), newKeep(),
		newLs(), newWho(), newWatch(), newMembers(), newLookup(), newEvict(), newStatus(), newDoctor(),
		newFence(), newConfig(), newDemo(), newDemoWorker(), newVersion(), newHelpStore(),
	)
	knownShells(root)
	return root
}

// knownShells makes the command that cobra adds refuse what it cannot complete for.
func knownShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args = knownCommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// knownCommand refuses what is not a command, and says what was probably meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		return usage("unknown command %q; did you mean %s?", args[0], strings.Join(similar, " or "))
	}
	return usage("unknown command %q; see %s --help", args[0], cmd.CommandPath())
}

// takes checks how many arguments a command has. what names them all, first the one that it cannot
// do without.
func takes(least, most int, what, first string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s is missing: %s", first, useOf(cmd))
		case len(args) > most:
			return usage("it takes %s, not %d arguments", what, len(args))
		}
		return nil
	}
}

// useOf is how a command is called, without its flags.
func useOf(cmd *cobra.Command) string {
	return strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmd.Use
}

// theName is what most commands cannot do without.
const theName = "the name of the lock"
