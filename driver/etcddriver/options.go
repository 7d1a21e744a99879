package etcddriver

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"
)

const defaultPrefix = "/holdgate"

// Options say where in etcd the locks are. The zero value is the default.
type Options struct {
	// Prefix is where the lines are: the places of the line n have the keys
	// Prefix/<n>/<lease>, n escaped. It does not end in a slash. Default: "/holdgate". With
	// Verbatim it is put before the name as it is, and its default is empty.
	Prefix string

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
