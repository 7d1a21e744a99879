package zkstore

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver/zkdriver"
)

// The schemes of URLs: TLS is asked for by the scheme, so that leaving out an option never
// means less of it.
const (
	Scheme    = "zk"
	SchemeTLS = "zks"
)

// defaultPort is where ZooKeeper listens for clients, without TLS and with it: the latter has
// no customary one.
const defaultPort = "2181"

// Config says which ZooKeeper is meant, and how it is reached.
type Config struct {
	servers []string // host:port
	options zkdriver.Options
	tls     *remote.Files // nil: without TLS
}

// Read takes a URL apart, with the variables of the environment for what it leaves out. It
// touches nothing. Hosts are the URL's authority as it is written: net/url does not know
// several of them.
func Read(u *url.URL, hosts string, env func(string) string) (*Config, error) {
	c := &Config{}
	var err error
	if c.servers, err = remote.Hosts(hosts, defaultPort); err != nil {
		return nil, err
	}
	if u.Fragment != "" {
		return nil, errors.New("it has no fragment; # in a prefix or a password is written %23")
	}
	o, err := remote.ReadOptions(u, append(remote.TLSOptions(), "layout", "tick", "verbatim")...)
	if err != nil {
		return nil, err
	}
	if c.tls, err = remote.ReadFiles(u.Scheme == SchemeTLS, SchemeTLS, o, env); err != nil {
		return nil, err
	}
	if err := c.readLayout(o); err != nil {
		return nil, err
	}
	if u.Path != "/" || c.options.Verbatim {
		c.options.Prefix = u.Path
	}
	if err := c.readUser(u.User, env(remote.PasswordVariable)); err != nil {
		return nil, err
	}
	return c, c.check()
}

func (c *Config) readLayout(o remote.Options) error {
	var err error
	if c.options.Layout, err = o.Layout(); err != nil {
		return err
	}
	if c.options.Verbatim, err = o.Flag("verbatim"); err != nil {
		return err
	}
	if text := o["tick"]; text != "" {
		tick, err := time.ParseDuration(text)
		if err != nil || tick <= 0 {
			return errors.New("option tick is the servers' tickTime, such as 2s")
		}
		c.options.Tick = tick
	}
	return nil
}

// readUser takes the password from the URL, or else from the environment.
func (c *Config) readUser(user *url.Userinfo, password string) error {
	if in, ok := user.Password(); ok && in != "" {
		password = in
	}
	c.options.Username, c.options.Password = user.Username(), password
	switch {
	case c.options.Username == "" && password != "":
		return fmt.Errorf("there is a password ($%s, or in the URL) and no user: %s://USER@HOST", remote.PasswordVariable, Scheme)
	case c.options.Username != "" && password == "":
		return fmt.Errorf("there is a user and no password: put it into $%s", remote.PasswordVariable)
	}
	return nil
}

// check has the driver look at what it is going to be given. It does not connect.
func (c *Config) check() error {
	d, err := zkdriver.New(c.servers, &c.options)
	if err != nil {
		return err
	}
	return d.Close()
}

// String is the URL without what lets in: no user, no password, no certificate of ours.
func (c *Config) String() string {
	u := url.URL{Scheme: Scheme, Host: strings.Join(c.servers, ","), Path: c.options.Prefix}
	options := url.Values{}
	if c.options.Layout != "" {
		options.Set("layout", string(c.options.Layout))
	}
	if c.options.Verbatim {
		options.Set("verbatim", "true")
	}
	if c.options.Tick != 0 {
		options.Set("tick", c.options.Tick.String())
	}
	if c.tls != nil {
		u.Scheme = SchemeTLS
		c.tls.Describe(options)
	}
	u.RawQuery = options.Encode()
	return u.String()
}
