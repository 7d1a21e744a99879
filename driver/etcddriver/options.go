package etcddriver

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/holdgate/holdgate/driver"
)

const defaultPrefix = "/holdgate"

// Options say where in etcd the locks are. The zero value is the default.
type Options struct {
	// Prefix is where the lines are: the places of the line n have the keys
	// Prefix/<n>/<lease>, n escaped. It does not end in a slash. Default: "/holdgate". With
	// Verbatim it is put before the name as it is, and its default is empty.
	Prefix string

	// Layout is how a lock is kept: driver.LayoutQueue, the default, or driver.LayoutSingle,
	// one key that is there or not, as much software has it. The lock "orders" is then the
	// key "orders": names are used as with Verbatim. There is no order among those who
	// wait, and nothing but mutexes and tries.
	Layout driver.Layout

	// Verbatim uses names as they are, so that the line "/locks/orders" is what
	// `etcdctl lock /locks/orders` uses. A name may then contain another: a line below
	// which there are others, such as "/locks", cannot be entered, as far as that can be
	// seen when entering: the claim may stand there for a moment. A listing shows
	// whatever stands under Prefix: set it where the store has other data too.
	Verbatim bool

	// Records is where the driver keeps what is no line: a record of each session, its
	// evictions, and the entries of driver.KV. Default: Prefix; with Verbatim
	// "/holdgate".
	Records string

	// Logger is told of servers with known faults. Default: nothing is logged.
	Logger *slog.Logger
}

// withDefaults checks the options, and fills in what was left out.
func (o *Options) withDefaults() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Layout == "" {
		opts.Layout = driver.LayoutQueue
	}
	if opts.Layout == driver.LayoutSingle {
		opts.Verbatim = true
	}
	if opts.Prefix == "" && !opts.Verbatim {
		opts.Prefix = defaultPrefix
	}
	if opts.Records == "" {
		opts.Records = opts.Prefix
		if opts.Verbatim {
			opts.Records = defaultPrefix
		}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Layout != driver.LayoutQueue && opts.Layout != driver.LayoutSingle {
		return Options{}, fmt.Errorf("etcddriver: Options.Layout is %q or %q, not %q", driver.LayoutQueue, driver.LayoutSingle, opts.Layout)
	}
	if err := checkPath("Prefix", opts.Prefix, opts.Verbatim); err != nil {
		return Options{}, err
	}
	if err := checkPath("Records", opts.Records, false); err != nil {
		return Options{}, err
	}
	return opts, nil
}

func checkPath(field, path string, slash bool) error {
	switch {
	case !utf8.ValidString(path) || strings.IndexByte(path, 0) >= 0:
		return fmt.Errorf("etcddriver: Options.%s is UTF-8 without NUL, %q is not", field, path)
	case strings.HasSuffix(path, "/") && !slash:
		return fmt.Errorf("etcddriver: Options.%s does not end in a slash, %q does", field, path)
	}
	return nil
}
