package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/config"
)

// changeFlags are those of the commands that change a setting.
type changeFlags struct {
	viewFlags
	ifVersion keyVersion
	empty     bool
}

func newConfigPut() *cobra.Command {
	f := &changeFlags{}
	cmd := &cobra.Command{
		Use:   "put KEY [VALUE]",
		Short: "Give a setting another value",
		Long: `Writes VALUE, or what comes on standard input, byte for byte, and prints the version that the key
has now. A version is larger than all that the key had before.

An empty value is refused without --empty: it is rather a variable that is not set, or a file that
was not written.

With --if-version it writes only if the key has that version, with 0 only if it is not there: a
change that depends on what was read is lost to nobody.

Exit codes:
  0   it is written
  64  the command line is wrong, or the value is too large: nothing is written
  69  the store cannot be reached; when the message speaks of an unknown outcome it may be written,
      and somebody may have written since: read before you write again
  75  --if-version: the key has another version; nothing is written

With --json it prints {"key", "version"}, the version as a decimal string.`,
		Example: `  holdgate config put limit 20
  holdgate config put web/limits <limits.json
  holdgate config put limit 30 --if-version 1785499
  holdgate config put offset -- -5`,
		Args:              takes(1, 2, "a key and a value", theKey),
		ValidArgsFunction: completeKey(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKey(args[0]); err != nil { // before anything is read
				return err
			}
			value, err := f.value(args[1:])
			if err != nil {
				return err
			}
			return f.onSettings(cmd.Context(), args[0], func(s *settings) error { return f.put(cmd.Context(), s, args[0], value) })
		},
	}
	f.register(cmd, "one JSON document")
	cmd.Flags().Var(&f.ifVersion, "if-version", "only if the key has this version; 0: only if it is not there")
	cmd.Flags().BoolVar(&f.empty, "empty", false, "let the value be empty")
	return cmd
}

// value is the value to write: the argument, or else what comes on standard input.
func (f *changeFlags) value(args []string) (value []byte, err error) {
	if len(args) > 0 {
		value = []byte(args[0])
	} else {
		if term.IsTerminal(int(os.Stdin.Fd())) {
			fmt.Fprintln(os.Stderr, "reading the value, until the end of the input")
		}
		// One byte more tells that it is too much, whatever follows.
		if value, err = io.ReadAll(io.LimitReader(os.Stdin, config.MaxValue+1)); err != nil {
			return nil, failed("the value: %w", err)
		}
	}
	switch {
	case len(value) > config.MaxValue:
		return nil, usage("a value has at most %d bytes, this one has more", config.MaxValue)
	case len(value) == 0 && !f.empty:
		return nil, usage("the value is empty; --empty writes such a one")
	}
	return value, nil
}

func (f *changeFlags) put(ctx context.Context, s *settings, key string, value []byte) error {
	write := s.Put
	if f.ifVersion.set {
		write = func(ctx context.Context, key string, value []byte) (config.Entry, error) {
			return s.PutIf(ctx, key, value, f.ifVersion.n)
		}
	}
	e, err := write(ctx, key, value)
	if err != nil {
		return f.ifVersion.conflict(key, err)
	}
	s.alone()
	if f.json {
		written := show.NewSetting(e)
		written.Value, written.Base64 = nil, nil // whoever wrote it knows
		return show.Document(os.Stdout, written)
	}
	_, err = fmt.Println(e.Version)
	return err
}
