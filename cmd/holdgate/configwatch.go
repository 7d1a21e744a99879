package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/config"
)

// configWatchFlags are those of config watch.
type configWatchFlags struct {
	viewFlags
	prefix string
}

func newConfigWatch() *cobra.Command {
	f := &configWatchFlags{}
	cmd := &cobra.Command{
		Use:   "watch [KEY]",
		Short: "Print each new value of a setting",
		Long: `Prints the value of KEY, and then each new one, a line each, until it is interrupted. With --prefix
it is all keys that begin like this, with the key before the value. What is no line of text, or
begins with a quote, is quoted. That a key is not there is said on standard error.

Values that follow each other closely may be merged. The last one is never withheld, and no older
one comes after a newer one. While the store cannot be reached it waits.

With --json each is a document on a line of its own: {"time", "key", "version", "value", "initial"
(it was so at the beginning), "deleted"}; "base64" in place of "value" where that is no text.`,
		Example: `  holdgate config watch limit | while read -r limit; do ./resize "$limit"; done
  holdgate config watch --prefix web/
  holdgate config watch web/limits --json | jq -r .value`,
		Args:              takes(0, 1, "one key", ""),
		ValidArgsFunction: completeKey(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := f.wanted(cmd, args)
			if err != nil {
				return err
			}
			return w.run(cmd.Context())
		},
	}
	f.register(cmd, "one JSON document a line")
	cmd.Flags().Var(text{&f.prefix, "TEXT"}, "prefix", "watch all whose key begins with this")
	return cmd
}

// wanted is what is to be watched.
func (f *configWatchFlags) wanted(cmd *cobra.Command, args []string) (*settingsWatch, error) {
	several := cmd.Flags().Changed("prefix")
	switch {
	case several && len(args) > 0:
		return nil, usage("a key and --prefix exclude each other")
	case several:
		return &settingsWatch{viewFlags: f.viewFlags, prefix: f.prefix, several: true}, checkKeyPrefix(f.prefix)
	case len(args) == 0:
		return nil, usage("%s is missing: %s", theKey, useOf(cmd))
	}
	return &settingsWatch{viewFlags: f.viewFlags, prefix: args[0]}, checkKey(args[0])
}

// settingsWatch prints what becomes of settings.
type settingsWatch struct {
	viewFlags
	prefix  string
	several bool // not only the one whose key this is
	changes show.SettingChanges
	begun   bool
}

func (w *settingsWatch) run(ctx context.Context) (err error) {
	s, err := w.settings(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.driver.Close()) }()
	if _, err = s.List(ctx, w.prefix); err != nil { // a watch would wait for a store that was never there
		return err
	}
	for snapshot, err := range s.Watch(ctx, w.prefix) {
		switch {
		case err != nil:
			return err
		case snapshot.Stale:
			fmt.Fprintln(os.Stderr, "holdgate: the store cannot be reached; trying again")
		default:
			if err = w.show(snapshot.Entries); err != nil {
				return err
			}
		}
	}
	return nil
}

// show prints what has changed.
func (w *settingsWatch) show(entries []config.Entry) error {
	if !w.several {
		entries = slices.DeleteFunc(entries, func(e config.Entry) bool { return e.Key != w.prefix })
	}
	if !w.begun && !w.json && len(entries) == 0 {
		fmt.Fprintln(os.Stderr, "there is no setting yet")
	}
	w.begun = true
	for _, change := range w.changes.Next(entries, time.Now()) {
		if err := w.tell(change); err != nil {
			return err
		}
	}
	return nil
}

func (w *settingsWatch) tell(c show.SettingChange) (err error) {
	switch key := show.Text(c.Key); {
	case w.json:
		return show.Record(os.Stdout, c)
	case c.Deleted:
		fmt.Fprintf(os.Stderr, "%s is deleted\n", key)
	case w.several:
		_, err = fmt.Printf("%s  %s\n", key, c)
	default:
		_, err = fmt.Println(c)
	}
	return err
}
