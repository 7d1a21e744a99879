package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newCheckConfig() *cobra.Command {
	var member memberFlags
	var http webFlags
	var logs logFlags
	cmd := &cobra.Command{
		Use:   "check-config",
		Short: "Say whether serve would take these flags, variables and files",
		Long: `Reads the flags and variables that serve takes, and every file that they name: certificates, who may do
what, passwords. It starts nothing, connects to nothing and writes nothing.`,
		Example: `  holdgated check-config --http 10.0.0.1:8443 --http-access /etc/holdgated/access.json`,
		Args:    takes(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := readFlags(cmd, &member, &http, &logs); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "ok")
			return err
		},
	}
	member.register(cmd.Flags())
	http.register(cmd.Flags())
	logs.register(cmd.Flags())
	return cmd
}
