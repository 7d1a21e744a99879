package etcdstore

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// The schemes of URLs: TLS is asked for by the scheme, so that leaving out an option never
// means less of it.
const (
	Scheme    = "etcd"
	SchemeTLS = "etcds"
)

// Variables with what is better not written in a URL, or is the same for every store.
const (
	PasswordVariable   = "HOLDGATE_STORE_PASSWORD"
	CAVariable         = "HOLDGATE_STORE_CA"
	CertVariable       = "HOLDGATE_STORE_CERT"
	KeyVariable        = "HOLDGATE_STORE_KEY"
	ServerNameVariable = "HOLDGATE_STORE_SERVER_NAME"
)

// Config says which etcd is meant, and how it is reached.
type Config struct {
	endpoints      []string // host:port
	prefix         string   // "": the driver's default
	verbatim       bool
	user, password string
	tls            *files // nil: without TLS
}

// Read takes a URL apart, with the variables of the environment for what it leaves out. It
// touches nothing. Hosts are the URL's authority as it is written: net/url does not know
// several of them.
func Read(u *url.URL, hosts string, env func(string) string) (*Config, error) {
	c := &Config{}
	var err error
	if c.endpoints, err = readHosts(hosts); err != nil {
		return nil, err
	}
	if u.Fragment != "" {
		return nil, errors.New("it has no fragment; # in a prefix or a password is written %23")
	}
	o, err := readOptions(u)
	if err != nil {
		return nil, err
	}
	if c.verbatim, err = o.flag("verbatim"); err != nil {
		return nil, err
	}
	if c.prefix, err = readPrefix(u.Path, c.verbatim); err != nil {
		return nil, err
	}
	if c.tls, err = readFiles(u.Scheme == SchemeTLS, o, env); err != nil {
		return nil, err
	}
	return c, c.readUser(u.User, env(PasswordVariable))
}

// readUser takes the password from the URL, or else from the environment.
func (c *Config) readUser(user *url.Userinfo, password string) error {
	if in, ok := user.Password(); ok && in != "" {
		password = in
	}
	c.user, c.password = user.Username(), password
	switch {
	case c.user == "" && c.password != "":
		return fmt.Errorf("there is a password ($%s, or in the URL) and no user: %s://USER@HOST", PasswordVariable, Scheme)
	case c.user != "" && c.password == "":
		return fmt.Errorf("there is a user and no password: put it into $%s", PasswordVariable)
	}
	return nil
}

// readPrefix is where the locks are: "" for a URL without a path.
func readPrefix(path string, verbatim bool) (string, error) {
	switch {
	case path == "" || path == "/" && !verbatim:
		return "", nil
	case !utf8.ValidString(path) || strings.ContainsRune(path, 0):
		return "", errors.New("a prefix is UTF-8 without NUL")
	case strings.HasSuffix(path, "/") && !verbatim:
		return "", fmt.Errorf("a prefix does not end in a slash, %q does", path)
	}
	return path, nil
}

// String is the URL without what lets in: no user, no password, no certificate of ours.
func (c *Config) String() string {
	u := url.URL{Scheme: Scheme, Host: strings.Join(c.endpoints, ","), Path: c.prefix}
	options := url.Values{}
	if c.verbatim {
		options.Set("verbatim", "true")
	}
	if c.tls != nil {
		u.Scheme = SchemeTLS
		c.tls.describe(options)
	}
	u.RawQuery = options.Encode()
	return u.String()
}
