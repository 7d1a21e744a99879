package zkdriver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/holdgate/holdgate/driver"
)

const (
	defaultPrefix = "/holdgate"
	defaultTick   = 2 * time.Second
	defaultPort   = "2181"
)

// Options say where in ZooKeeper the locks are, and how it is reached. The zero value is
// the default.
type Options struct {
	// Prefix is the path of the node below which the lines are. It does not end in a
	// slash. With a chroot, put that before it: "/chroot/holdgate". Nodes on the way that
	// do not exist are created. With Verbatim it is put before the name as it is, and its
	// default is empty. Default: "/holdgate".
	Prefix string

	// Layout is how a lock is kept: driver.LayoutQueue, the default, or driver.LayoutSingle,
	// one ephemeral node that is there or not, as much software has it. The lock "orders"
	// is then the node Prefix/orders; there is no order among those who wait, and nothing
	// but mutexes and tries.
	Layout driver.Layout

	// Verbatim uses names as they are, so that the lock "/locks/orders" is that node, which
	// Curator and others use. With Prefix before it a name is then the absolute path of a
	// node, and any other is refused. One node is a lock or has locks below it: to enter a
	// line is refused where there are others below it, or where it is below one that is in
	// use, as far as that can be seen when entering. A listing shows whatever locks stand
	// where names with Prefix begin: set it where ZooKeeper has much other data.
	Verbatim bool

	// Records is the path of the node below which the driver keeps what is no line: a record
	// of each session, and the entries of driver.KV. Default: Prefix; with Verbatim
	// "/holdgate".
	Records string

	// Tick is the servers' tickTime. It says how late a server may free what a dead
	// process held, and how long its leader may not know yet of a renewal that was
	// answered. A smaller value than the servers' is dangerous. Default: 2 seconds, as it
	// is in the configuration that ZooKeeper comes with.
	Tick time.Duration

	// Username and Password authenticate by ZooKeeper's digest scheme. The nodes that the
	// driver makes are then for this user alone, else for everybody.
	Username, Password string

	// TLS connects by TLS, to the servers' secureClientPort. Without a ServerName the
	// servers' certificates must be for the host that is connected to.
	TLS *tls.Config

	// Dial makes the connections, to put something between. Default: a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Logger is told, at debug level, what the client says about its connections.
	// Default: nothing is logged.
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
	if opts.Layout == "" {
		opts.Layout = driver.LayoutQueue
	}
	if opts.Tick == 0 {
		opts.Tick = defaultTick
	}
	if opts.Dial == nil {
		opts.Dial = new(net.Dialer).DialContext
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case opts.Layout != driver.LayoutQueue && opts.Layout != driver.LayoutSingle:
		return Options{}, fmt.Errorf("zkdriver: Options.Layout is %q or %q, not %q", driver.LayoutQueue, driver.LayoutSingle, opts.Layout)
	case opts.Tick < 0:
		return Options{}, fmt.Errorf("zkdriver: Options.Tick is positive, not %v", opts.Tick)
	case opts.Username == "" && opts.Password != "":
		return Options{}, errors.New("zkdriver: Options.Password without Options.Username")
	case strings.Contains(opts.Username, ":"):
		return Options{}, fmt.Errorf("zkdriver: Options.Username has no colon, %q has", opts.Username)
	}
	return opts, opts.checkPaths()
}

func (o *Options) checkPaths() error {
	before := o.Prefix
	if o.Verbatim {
		before += "n" // a name goes on where it ends
		if o.Prefix == "" {
			before = "/n"
		}
	}
	switch {
	case !isPath(before):
		return fmt.Errorf("zkdriver: Options.Prefix is an absolute path of nodes, without a slash at its end, not %q", o.Prefix)
	case !isPath(o.Records):
		return fmt.Errorf("zkdriver: Options.Records is an absolute path of nodes, without a slash at its end, not %q", o.Records)
	}
	return nil
}

// isPath reports whether ZooKeeper takes this for the path of a node.
func isPath(path string) bool {
	ok := strings.HasPrefix(path, "/") && utf8.ValidString(path)
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		// Whatever part of a path ZooKeeper takes is its own escape, or needs one that
		// only the user can choose.
		ok = ok && part != "" && part != "." && part != ".." && !strings.ContainsFunc(part, refused)
	}
	return ok
}

// addresses checks the servers, and adds the default port where there is none.
func addresses(servers []string) ([]string, error) {
	if len(servers) == 0 {
		return nil, errors.New("zkdriver: no servers")
	}
	list := make([]string, len(servers))
	for i, server := range servers {
		host, port, err := net.SplitHostPort(server)
		if err != nil {
			host, port = strings.Trim(server, "[]"), defaultPort
		}
		if host == "" || port == "" {
			return nil, fmt.Errorf("zkdriver: a server is host:port or host, not %q", server)
		}
		list[i] = net.JoinHostPort(host, port)
	}
	return list, nil
}
