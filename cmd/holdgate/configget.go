package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

func newConfigGet() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "get KEY",
		Short: "Print the value of a setting",
		Long: `Prints the newest value of KEY, byte for byte: nothing is added, so that get KEY >FILE and put KEY
<FILE are each other's inverse. On a terminal it ends with a line feed, and what is no text is
quoted.

Exit codes:
  0   it is there
  1   there is no such setting
  64  the command line is wrong, or the store keeps no settings
  69  the store cannot be reached

With --json it is one document.
` + settingFields,
		Example: `  holdgate config get web/limits
  limit=$(holdgate config get limit) || limit=10
  holdgate config get web/limits --json | jq -r .version`,
		Args:              takes(1, 1, "one key", theKey),
		ValidArgsFunction: completeKey(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.onSettings(cmd.Context(), args[0], func(s *settings) error { return f.get(cmd.Context(), s, args[0]) })
		},
	}
	f.register(cmd, "one JSON document")
	return cmd
}

func (f *viewFlags) get(ctx context.Context, s *settings, key string) error {
	e, err := s.Get(ctx, key)
	if err != nil {
		return err
	}
	switch {
	case f.json:
		return show.Document(os.Stdout, show.NewSetting(e))
	case term.IsTerminal(int(os.Stdout.Fd())):
		_, err = os.Stdout.WriteString(show.Page(e.Value))
	default:
		_, err = os.Stdout.Write(e.Value)
	}
	return err
}
