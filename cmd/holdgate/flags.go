package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
)

// duration is the value of a flag: 90s, 5m, 1h30m, or a bare number of seconds.
type duration struct {
	d   time.Duration
	set bool
}

var errDuration = errors.New("a duration is written 90s, 5m or 1h30m; a bare number is seconds")

func (v *duration) String() string {
	if !v.set {
		return ""
	}
	return v.d.String()
}

func (v *duration) Type() string { return "duration" }

func (v *duration) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(seconds) > math.MaxInt64/float64(time.Second)/2 || math.IsNaN(seconds) {
			return errDuration
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	v.d, v.set = d, true
	return nil
}

// between refuses a duration out of bounds.
func (v *duration) between(flag string, low, high time.Duration) error {
	if v.set && (v.d < low || v.d > high) {
		return usage("%s is %v to %v, not %v", flag, low, high, v.d)
	}
	return nil
}

// storeFlag is the flag that every command which asks the store has.
type storeFlag struct{ url string }

func (f *storeFlag) register(cmd *cobra.Command) {
	cmd.Flags().Var(storeURL{text{&f.url, "URL"}}, "store", "the store, such as etcd://host:2379; see holdgate help store"+
		" (default: $HOLDGATE_STORE, or the files of this user)")
}

// parse returns the store that was chosen.
func (f *storeFlag) parse() (store.Store, error) {
	if f.url != "" {
		return store.Parse(f.url, os.Getenv)
	}
	named := os.Getenv(store.Variable)
	s, err := store.Parse(named, os.Getenv)
	if err != nil && named != "" {
		return s, fmt.Errorf("$%s: %w", store.Variable, err)
	}
	return s, err
}
