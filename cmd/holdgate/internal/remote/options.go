package remote

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// Options are the parameters of a URL, each given once.
type Options map[string]string

// ReadOptions refuses what is not among the names. Values are not repeated: one that
// somebody takes for an option may be a password.
func ReadOptions(u *url.URL, names ...string) (Options, error) {
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("its options cannot be read: they are ?name=value&name=value")
	}
	o := Options{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case !slices.Contains(names, name):
			return nil, fmt.Errorf("unknown option %q; there are %s", name, strings.Join(names, ", "))
		case len(values[name]) > 1:
			return nil, fmt.Errorf("option %s is given %d times", name, len(values[name]))
		case values[name][0] == "":
			return nil, fmt.Errorf("option %s is empty", name)
		}
		o[name] = values[name][0]
	}
	return o, nil
}

// Layout is how a lock is kept; empty where the URL leaves that to the driver.
func (o Options) Layout() (driver.Layout, error) {
	switch layout := driver.Layout(o["layout"]); layout {
	case "", driver.LayoutQueue, driver.LayoutSingle:
		return layout, nil
	default:
		return "", fmt.Errorf("option layout is %s or %s", driver.LayoutQueue, driver.LayoutSingle)
	}
}

// Flag is an option that is true or false.
func (o Options) Flag(name string) (bool, error) {
	switch o[name] {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, fmt.Errorf("option %s is true or false", name)
}
