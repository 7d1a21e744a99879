package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/config"
)

func newConfigList() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "list [PREFIX]",
		Short: "List the settings",
		Long: `Lists the settings whose key begins with PREFIX (all, without one) in the order of their keys. A
value that is long is cut, and one that is no line of text is quoted: --json has all of it.

With --json it is one document, {"settings": [...]}.
` + settingFields,
		Example: `  holdgate config list
  holdgate config list web/ --json | jq -r '.settings[].key'`,
		Args:              takes(0, 1, "at most a prefix", ""),
		ValidArgsFunction: completeKey(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.listSettings(cmd.Context(), strings.Join(args, ""))
		},
	}
	f.register(cmd, "one JSON document")
	return cmd
}

// settingsView is a list of settings in JSON.
type settingsView struct {
	Settings []show.Setting `json:"settings"`
}

func (f *viewFlags) listSettings(ctx context.Context, prefix string) (err error) {
	if err = checkKeyPrefix(prefix); err != nil {
		return err
	}
	s, err := f.settings(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.driver.Close()) }()
	entries, err := s.List(ctx, prefix)
	switch {
	case err != nil:
		return err
	case f.json:
		return show.Document(os.Stdout, settingsOf(entries))
	case len(entries) == 0:
		none := "there is no setting"
		if prefix != "" {
			none = fmt.Sprintf("there is no setting that begins with %q", prefix)
		}
		fmt.Fprintln(os.Stderr, none)
		return nil
	}
	return printRows(show.Settings(entries))
}

func settingsOf(entries []config.Entry) settingsView {
	v := settingsView{Settings: make([]show.Setting, 0, len(entries))}
	for _, e := range entries {
		v.Settings = append(v.Settings, show.NewSetting(e))
	}
	return v
}
