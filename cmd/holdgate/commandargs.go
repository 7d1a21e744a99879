package main

import "github.com/spf13/cobra"

// commandArgs checks that there is a name, and a command after --. what says what the name is of, name
// is how the help calls it.
func commandArgs(what, name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		dash := cmd.ArgsLenAtDash()
		switch {
		case dash < 0 && len(args) == 0, dash == 0:
			return usage("%s is missing: %s %s -- COMMAND", what, cmd.CommandPath(), name)
		case dash < 0 && len(args) == 1, len(args) == dash:
			return usage("the command is missing: %s %s -- COMMAND", cmd.CommandPath(), name)
		case dash < 0:
			return usage("the command goes after --: %s %s -- %s", cmd.CommandPath(), args[0], args[1])
		}
		return nil
	}
}

// oneBeforeDash parts the only name from the command after --. That there are both was checked.
func oneBeforeDash(cmd *cobra.Command, args []string) (name string, command []string, err error) {
	names, command := splitAtDash(cmd, args)
	if len(names) > 1 {
		return "", nil, usage("one name goes before --, not %d", len(names))
	}
	return names[0], command, nil
}
