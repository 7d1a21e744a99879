package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/driver"
)

// report says how the program ended, unless that was said: as text, or as the event of a command
// whose messages are to be JSON.
func report(cmd *cobra.Command, args []string, err error) {
	if err == nil || err.Error() == "" {
		return
	}
	if _, events := cmd.Annotations[hasEvents]; events && asksJSON(args) {
		_ = show.Record(os.Stderr, failure("", err)) // whoever closed it does not listen
		return
	}
	fmt.Fprintf(os.Stderr, "holdgate: %s\n", oneLine(err.Error()))
}

// hasEvents annotates a command whose messages are events when --json is given.
const hasEvents = "events"

// asksJSON reports whether --json is among the arguments. They are looked at themselves: what is wrong
// may be a flag before it.
func asksJSON(args []string) bool {
	if dash := slices.Index(args, "--"); dash >= 0 {
		args = args[:dash]
	}
	asks := false
	for _, arg := range args {
		if arg == "--json" {
			asks = true
		} else if value, ok := strings.CutPrefix(arg, "--json="); ok {
			asks, _ = strconv.ParseBool(value)
		}
	}
	return asks
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// plainError is an error without its kind in front, where that says nothing but what the exit code
// does.
type plainError struct{ error }

func (e plainError) Error() string {
	return strings.TrimPrefix(e.error.Error(), driver.ErrInvalid.Error()+": ")
}

func (e plainError) Unwrap() error { return e.error }

// checkName refuses what no lock is named.
func checkName(name string) error {
	if err := driver.CheckName(name); err != nil {
		return plainError{err}
	}
	return nil
}
