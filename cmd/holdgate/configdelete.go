package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newConfigDelete() *cobra.Command {
	f := &changeFlags{}
	cmd := &cobra.Command{
		Use:   "delete KEY",
		Short: "Remove a setting",
		Long: `Removes KEY. Programs that follow it fall back to their default, or keep the last value.

Exit codes:
  0   it is gone
  1   there is no such setting
  64  the command line is wrong: nothing is removed
  69  the store cannot be reached; when the message speaks of an unknown outcome it may be gone
  75  --if-version: the key has another version; nothing is removed`,
		Example: `  holdgate config delete web/limits
  holdgate config delete limit --if-version 1785499`,
		Args:              takes(1, 1, "one key", theKey),
		ValidArgsFunction: completeKey(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.ifVersion.set && f.ifVersion.n == 0 {
				return usage("--if-version of what is to be removed is not 0: that is a key that is not there")
			}
			return f.onSettings(cmd.Context(), args[0], func(s *settings) error { return f.remove(cmd.Context(), s, args[0]) })
		},
	}
	f.storeFlag.register(cmd)
	cmd.Flags().Var(&f.ifVersion, "if-version", "only if the key has this version")
	return cmd
}

func (f *changeFlags) remove(ctx context.Context, s *settings, key string) error {
	if f.ifVersion.set {
		return f.ifVersion.conflict(key, s.DeleteIf(ctx, key, f.ifVersion.n))
	}
	return s.Delete(ctx, key)
}
