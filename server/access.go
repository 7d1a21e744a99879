package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/holdgate/holdgate/driver"
)

// Verb is what a right is for.
type Verb string

// The verbs.
const (
	VerbRead  Verb = "read"  // see lines: who holds and who waits
	VerbLock  Verb = "lock"  // stand in lines
	VerbEvict Verb = "evict" // ask others to go
	VerbGet   Verb = "get"   // read the map: configuration, and what was done once
	VerbPut   Verb = "put"   // write it
)

func verbs() []Verb { return []Verb{VerbRead, VerbLock, VerbEvict, VerbGet, VerbPut} }

// Right lets a caller do something with all names, or keys, that begin with the prefix; with
// "" with all there are.
type Right struct {
	Verbs  []Verb
	Prefix string
}

// Caller is somebody who may use the server.
type Caller struct {
	// Name is told in logs, and where this caller evicts. Sessions belong to a name.
	Name string
	// TokenSHA256 is the hash of the caller's bearer token, if it has one. Tokens are
	// random and long, so that a plain hash keeps them.
	TokenSHA256 []byte
	// Certificate is the common name, a DNS name or a URI of the caller's certificate, if it
	// has one. The HTTP server in front checks the certificate itself.
	Certificate string
	Rights      []Right
	// Sessions, Places and Listeners are how many it may have, instead of what Limits say.
	Sessions, Places, Listeners int
}

// Access says who may do what.
type Access struct{ callers []*caller }

// NewAccess returns the access of these callers. Each has a name of its own, and a token or
// a certificate.
func NewAccess(callers []Caller) (*Access, error) {
	a := &Access{}
	names := make(map[string]bool, len(callers))
	for _, c := range callers {
		if err := c.check(); err != nil {
			return nil, err
		}
		if names[c.Name] {
			return nil, fmt.Errorf("%w: two callers are named %q", driver.ErrInvalid, c.Name)
		}
		names[c.Name] = true
		a.callers = append(a.callers, &caller{
			name: c.Name, token: c.TokenSHA256, certificate: c.Certificate, rights: c.Rights,
			limits: map[quota]int{quotaSessions: c.Sessions, quotaPlaces: c.Places, quotaListeners: c.Listeners},
		})
	}
	return a, nil
}

func (c Caller) check() error {
	switch {
	case c.Name == "" || len(c.Name) > 64 || !utf8.ValidString(c.Name):
		return fmt.Errorf("%w: a caller's name is UTF-8 of 1 to 64 bytes, not %q", driver.ErrInvalid, c.Name)
	case len(c.TokenSHA256) != 0 && len(c.TokenSHA256) != sha256.Size:
		return fmt.Errorf("%w: the token hash of %q has %d bytes, not %d", driver.ErrInvalid, c.Name, len(c.TokenSHA256), sha256.Size)
	case len(c.TokenSHA256) == 0 && c.Certificate == "":
		return fmt.Errorf("%w: %q has neither a token nor a certificate", driver.ErrInvalid, c.Name)
	case c.Sessions < 0 || c.Places < 0 || c.Listeners < 0:
		return fmt.Errorf("%w: a limit of %q is negative", driver.ErrInvalid, c.Name)
	}
	for _, r := range c.Rights {
		if len(r.Verbs) == 0 {
			return fmt.Errorf("%w: a right of %q on %q has no verbs", driver.ErrInvalid, c.Name, r.Prefix)
		}
		for _, v := range r.Verbs {
			if !slices.Contains(verbs(), v) {
				return fmt.Errorf("%w: %q has a right to %q; there are %q", driver.ErrInvalid, c.Name, v, verbs())
			}
		}
	}
	return nil
}

// caller is who sent a request.
type caller struct {
	name        string
	token       []byte
	certificate string
	rights      []Right
	limits      map[quota]int
	from        string // the address of this request
	everything  bool   // nobody said who may do what
}

var errUnauthenticated = errors.New("a bearer token or a certificate that the server knows is needed")

// caller finds out who sent a request.
func (a *Access) caller(r *http.Request) (*caller, error) {
	if a == nil {
		return &caller{everything: true, from: r.RemoteAddr}, nil
	}
	found := a.byToken(r.Header.Get("Authorization"))
	if found == nil && r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		found = a.byCertificate(r.TLS.VerifiedChains[0][0])
	}
	if found == nil {
		return nil, errUnauthenticated
	}
	c := *found
	c.from = r.RemoteAddr
	return &c, nil
}

// byToken compares with every caller, so that the time it takes tells nothing.
func (a *Access) byToken(authorization string) *caller {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	var found *caller
	for _, c := range a.callers {
		if len(c.token) > 0 && subtle.ConstantTimeCompare(sum[:], c.token) == 1 {
			found = c
		}
	}
	return found
}

func (a *Access) byCertificate(cert *x509.Certificate) *caller {
	names := append([]string{cert.Subject.CommonName}, cert.DNSNames...)
	for _, u := range cert.URIs {
		names = append(names, u.String())
	}
	for _, c := range a.callers {
		if c.certificate != "" && slices.Contains(names, c.certificate) {
			return c
		}
	}
	return nil
}

// may says why the caller may not do that with this name.
func (c *caller) may(verb Verb, name string) error {
	// A right is on all names that begin with its prefix, so what holds for a name holds
	// for all names that begin with that.
	return c.mayAll(verb, name)
}

// mayAll says why the caller may not do that with all names that begin with prefix.
func (c *caller) mayAll(verb Verb, prefix string) error {
	if c.everything {
		return nil
	}
	for _, r := range c.rights {
		if slices.Contains(r.Verbs, verb) && strings.HasPrefix(prefix, r.Prefix) {
			return nil
		}
	}
	return c.denied(verb, prefix)
}

func (c *caller) denied(verb Verb, name string) error {
	return fmt.Errorf("%w: %q has no right to %s %q", driver.ErrDenied, c.name, verb, name)
}

// mayLockAnything reports whether the caller has any use for a session.
func (c *caller) mayLockAnything() bool {
	return c.everything || slices.ContainsFunc(c.rights, func(r Right) bool { return slices.Contains(r.Verbs, VerbLock) })
}

// signed is the name that an evictor gives itself, behind the one that is known.
func (c *caller) signed(by string) string {
	switch {
	case c.name == "":
		return by
	case by == "":
		return c.name
	}
	return c.name + ": " + by
}

// limit is how many of something the caller may have.
func (s *Server) limit(c *caller, what quota) int {
	if n := c.limits[what]; n > 0 {
		return n
	}
	switch what {
	case quotaSessions:
		return s.opts.Limits.Sessions
	case quotaPlaces:
		return s.opts.Limits.Places
	case quotaListeners:
		return s.opts.Limits.Listeners
	}
	return 0
}

// callerKey is where a request's context has its caller.
type callerKey struct{}

func withCaller(ctx context.Context, c *caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerOf is who sent the request. There always is one: see around.
func callerOf(ctx context.Context) *caller { return ctx.Value(callerKey{}).(*caller) }
