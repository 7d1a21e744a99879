package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const prefix = "HOLDGATED_"

// variable is the name of the variable of a flag.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment gives the flags that are not on the command line the values of their
// variables. An empty variable is as good as none, as those of unit files often are.
func fromEnvironment(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		text := os.Getenv(variable(f.Name))
		if f.Changed || text == "" || err != nil || f.Name == "help" || f.Name == "version" {
			return
		}
		if wrong := cmd.Flags().Set(f.Name, text); wrong != nil {
			err = usage("%s: %w", variable(f.Name), wrong)
		}
	})
	return err
}
