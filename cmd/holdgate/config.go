package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/config"
	"github.com/holdgate/holdgate/driver"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Keep settings in the store that the locks are in",
		Long: `A setting has a key and a value, any bytes. All that reach the store see the newest value, and can
be told when it changes: programs by the library's package config, scripts by holdgate config
watch. Settings stay when nobody uses them; how durably, is the store's matter.`,
		Example: `  holdgate config put web/limits '{"workers": 8}'
  holdgate config get web/limits
  holdgate config list web/`,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newConfigGet(), newConfigPut(), newConfigDelete(), newConfigList(), newConfigWatch())
	return cmd
}

// theKey is what most commands about settings cannot do without.
const theKey = "the key"

// settingFields is what the help says of a setting in JSON.
const settingFields = `A setting in JSON is {"key", "version", "value"}, the version a decimal string; where the value is
no UTF-8 text, "base64" stands in place of "value".`

// settings are those of one store, and what they stand on.
type settings struct {
	*config.Config
	driver driver.Driver
	store  store.Store
}

// settings opens the store for a command about settings.
func (f *storeFlag) settings(ctx context.Context) (*settings, error) {
	s, err := f.parse()
	if err != nil {
		return nil, err
	}
	drv, err := openStore(ctx, s, connectTime)
	if err != nil {
		return nil, err
	}
	c, err := config.New(drv, &config.Options{Patience: lookTime})
	if err != nil {
		_ = drv.Close() // nothing was asked of it
		return nil, fmt.Errorf("%w; see holdgate help store", err)
	}
	return &settings{c, drv, s}, nil
}

// onSettings opens the settings for as long as a call takes that is about one key.
func (f *storeFlag) onSettings(ctx context.Context, key string, call func(*settings) error) (err error) {
	if err = checkKey(key); err != nil {
		return err
	}
	s, err := f.settings(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.driver.Close()) }()
	if err = call(s); errors.Is(err, config.ErrNotFound) {
		return failed("there is no setting %q", key)
	}
	return err
}

// checkKey refuses what no setting is named.
func checkKey(key string) error {
	if err := config.CheckKey(key); err != nil {
		return plainError{err}
	}
	return nil
}

// checkKeyPrefix refuses what no key begins with.
func checkKeyPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return checkKey(prefix)
}

// keyVersion is the value of --if-version.
type keyVersion struct {
	n   uint64
	set bool
}

var errVersion = errors.New("a version is a whole number, as put prints it and get --json shows it")

func (v *keyVersion) String() string {
	if !v.set {
		return ""
	}
	return strconv.FormatUint(v.n, 10)
}

func (v *keyVersion) Type() string { return "VERSION" }

func (v *keyVersion) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errVersion
	}
	v.n, v.set = n, true
	return nil
}

// conflict says that the key has another version than was asked for. It is worth another try, as
// what is busy.
func (v *keyVersion) conflict(key string, err error) error {
	switch {
	case !errors.Is(err, config.ErrConflict):
		return err
	case v.n == 0:
		return &exitError{exitBusy, fmt.Errorf("there is a setting %q already", key)}
	}
	return &exitError{exitBusy, fmt.Errorf("%q has another version than %d: somebody has changed it", key, v.n)}
}

// completeKey offers the keys that there are as the first argument.
func completeKey(f *storeFlag) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, stop := context.WithTimeout(cmd.Context(), completeTime)
		defer stop()
		s, err := f.settings(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer func() { _ = s.driver.Close() }() // it only looked
		entries, _ := s.List(ctx, begun)
		var keys []cobra.Completion
		for _, e := range entries {
			if !strings.ContainsAny(e.Key, "\t\n") { // the shells could not take it apart again
				keys = append(keys, e.Key)
			}
		}
		return keys, cobra.ShellCompDirectiveNoFileComp
	}
}

// alone says on standard error that nobody else will see it, when nobody named a store.
func (s *settings) alone() {
	if s.store.Default {
		fmt.Fprintf(os.Stderr, "holdgate: no store is named (--store): this is for this user on this machine only, in %s\n", s.store)
	}
}
