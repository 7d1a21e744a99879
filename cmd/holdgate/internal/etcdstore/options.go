package etcdstore

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// options are the parameters of a URL, each given once.
type options map[string]string

// names are the parameters there are, for people.
func names() []string { return []string{"ca", "cert", "key", "server-name", "verbatim"} }

// readOptions refuses what is unknown. Values are not repeated: one that somebody takes for
// an option may be a password.
func readOptions(u *url.URL) (options, error) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("its options cannot be read: they are ?name=value&name=value")
	}
	o := options{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case !slices.Contains(names(), name):
			return nil, fmt.Errorf("unknown option %q; there are %s", name, strings.Join(names(), ", "))
		case len(values[name]) > 1:
			return nil, fmt.Errorf("option %s is given %d times", name, len(values[name]))
		case values[name][0] == "":
			return nil, fmt.Errorf("option %s is empty", name)
		}
		o[name] = values[name][0]
	}
	return o, nil
}

// flag is an option that is true or false.
func (o options) flag(name string) (bool, error) {
	switch o[name] {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, fmt.Errorf("option %s is true or false", name)
}
