package redisstore

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver"
)

// The schemes of URLs: TLS is asked for by the scheme, so that leaving out an option never
// means less of it.
const (
	Scheme      = "redis"
	SchemeTLS   = "rediss"
	Sentinel    = "redis+sentinel"
	SentinelTLS = "rediss+sentinel"
	Cluster     = "redis+cluster"
	ClusterTLS  = "rediss+cluster"
)

// Where servers and sentinels listen.
const (
	defaultPort  = "6379"
	sentinelPort = "26379"
)

// Config says which Redis is meant, and how it is reached.
type Config struct {
	scheme         string
	addresses      []string // host:port
	primary        string   // what the sentinels call it
	database       int
	layout         driver.Layout
	prefix         string // "": the driver's default
	user, password string
	// What lets in at the sentinels, which have users of their own.
	sentinelUser, sentinelPassword string
	tls                            *remote.Files // nil: without TLS
}

// Read takes a URL apart, with the variables of the environment for what it leaves out. It
// touches nothing. Hosts are the URL's authority as it is written: net/url does not know
// several of them.
func Read(u *url.URL, hosts string, env func(string) string) (*Config, error) {
	c := &Config{scheme: u.Scheme}
	port := defaultPort
	if c.sentinel() {
		port = sentinelPort
	}
	var err error
	if c.addresses, err = remote.Hosts(hosts, port); err != nil {
		return nil, err
	}
	switch {
	case u.Fragment != "":
		return nil, errors.New("it has no fragment; # in a password is written %23")
	case len(c.addresses) > 1 && !c.sentinel() && !c.cluster():
		return nil, fmt.Errorf("several hosts are a cluster or its sentinels: write %s:// or %s://", Cluster, Sentinel)
	}
	o, err := remote.ReadOptions(u, append(remote.TLSOptions(), "layout", "prefix", "sentinel-user")...)
	if err != nil {
		return nil, err
	}
	if c.layout, err = o.Layout(); err != nil {
		return nil, err
	}
	if c.prefix = o["prefix"]; strings.ContainsAny(c.prefix, "{}\x00") {
		return nil, errors.New("option prefix has no braces")
	}
	encrypted := strings.HasPrefix(c.scheme, SchemeTLS)
	if c.tls, err = remote.ReadFiles(encrypted, strings.Replace(c.scheme, Scheme, SchemeTLS, 1), o, env); err != nil {
		return nil, err
	}
	c.user = u.User.Username()
	if c.password, _ = u.User.Password(); c.password == "" {
		c.password = env(remote.PasswordVariable)
	}
	if c.user != "" && c.password == "" {
		return nil, fmt.Errorf("there is a user and no password: put it into $%s", remote.PasswordVariable)
	}
	if err := c.readSentinelUser(o["sentinel-user"], env(SentinelPasswordVariable)); err != nil {
		return nil, err
	}
	return c, c.readPath(strings.TrimPrefix(u.Path, "/"))
}

// SentinelPasswordVariable has the sentinels' password: a sentinel that wants none refuses one,
// so that it is not taken to be the servers'.
const SentinelPasswordVariable = "HOLDGATE_STORE_SENTINEL_PASSWORD"

func (c *Config) readSentinelUser(user, password string) error {
	switch {
	case user != "" && !c.sentinel():
		return fmt.Errorf("option sentinel-user is for sentinels: write %s://", Sentinel)
	case user != "" && password == "":
		return fmt.Errorf("there is a sentinel-user and no password: put it into $%s", SentinelPasswordVariable)
	}
	c.sentinelUser, c.sentinelPassword = user, password
	return nil
}

func (c *Config) sentinel() bool { return c.scheme == Sentinel || c.scheme == SentinelTLS }
func (c *Config) cluster() bool  { return c.scheme == Cluster || c.scheme == ClusterTLS }

// readPath takes the primary's name, where there are sentinels, and the database.
func (c *Config) readPath(path string) error {
	if c.sentinel() {
		c.primary, path, _ = strings.Cut(path, "/")
		if c.primary == "" {
			return fmt.Errorf("it does not say what the sentinels call the primary: %s://HOST/NAME", Sentinel)
		}
	}
	if path == "" {
		return nil
	}
	n, err := strconv.ParseUint(path, 10, 16)
	switch {
	case c.cluster():
		return errors.New("a cluster has one database: its URL has no path")
	case err != nil:
		return fmt.Errorf("a database is a number, %q is none", path)
	}
	c.database = int(n)
	return nil
}

// String is the URL without what lets in: no user, no password, no certificate of ours.
func (c *Config) String() string {
	u := url.URL{Scheme: c.scheme, Host: strings.Join(c.addresses, ",")}
	if c.sentinel() {
		u.Path = "/" + c.primary
	}
	if c.database != 0 {
		u.Path += "/" + strconv.Itoa(c.database)
	}
	options := url.Values{}
	if c.layout != "" {
		options.Set("layout", string(c.layout))
	}
	if c.prefix != "" {
		options.Set("prefix", c.prefix)
	}
	if c.tls != nil {
		c.tls.Describe(options)
	}
	u.RawQuery = options.Encode()
	return u.String()
}
