package command_test

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/redisserver"
)

// at is the endpoint with an address.
func (s status) at(t *testing.T, address string) endpoint {
	t.Helper()
	for _, e := range s.Endpoints {
		if e.Endpoint == address {
			return e
		}
	}
	t.Fatalf("%s is not in %+v", address, s.Endpoints)
	return endpoint{}
}

// warned reports whether an endpoint is warned of with these words.
func (e endpoint) warned(words string) bool {
	return slices.ContainsFunc(e.Warnings, func(w string) bool { return strings.Contains(w, words) })
}

// A server is shown as it is, with what makes it forget locks.
func TestStatusOfRedis(t *testing.T) {
	t.Parallel()
	forgets := redisserver.Start(t, redisserver.Options{})
	p := at(t, "redis://"+forgets.Address())
	e := p.status(0).at(t, forgets.Address())
	if !e.Healthy || e.Role != "primary" || e.Version == "" || e.Answered <= 0 || e.Size == 0 || !e.warned("no append-only file") {
		t.Errorf("one without a file: %+v", e)
	}
	text, _ := p.run(0, "status")
	for _, want := range []string{
		"safety     best effort: ", "primary", "\nwarning: " + forgets.Address() + ": it has no append-only file: a restart forgets all locks",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}

	keeps := redisserver.Start(t, redisserver.Options{Config: []string{"--appendonly", "yes", "--maxmemory", "64mb"}})
	e = at(t, "redis://"+keeps.Address()).status(0).at(t, keeps.Address())
	if !e.Healthy || len(e.Warnings) > 0 || e.Quota != 64<<20 {
		t.Errorf("one with a file: %+v", e)
	}

	evicts := redisserver.Start(t, redisserver.Options{Config: []string{"--maxmemory-policy", "allkeys-lru"}})
	e = at(t, "redis://"+evicts.Address()).status(0).at(t, evicts.Address())
	if e.Healthy || !strings.Contains(e.Error, "maxmemory-policy is allkeys-lru") {
		t.Errorf("one that may delete locks: %+v", e)
	}

	host, port, _ := net.SplitHostPort(keeps.Address())
	replica := redisserver.Start(t, redisserver.Options{Config: []string{"--replicaof", host, port}})
	e = at(t, "redis://"+replica.Address()).status(69).at(t, replica.Address())
	if e.Healthy || e.Role != "replica" || !strings.Contains(e.Error, "it is a replica") {
		t.Errorf("a replica: %+v", e)
	}

	secret := redisserver.Start(t, redisserver.Options{Config: []string{"--requirepass", "secret"}})
	e = at(t, "redis://"+secret.Address()).status(69).at(t, secret.Address())
	if e.Healthy || !strings.Contains(e.Error, "NOAUTH") {
		t.Errorf("one that wants a password: %+v", e)
	}
	forgets.Kill()
	if e = p.status(69).at(t, forgets.Address()); e.Healthy || !strings.Contains(e.Error, "connection refused") {
		t.Errorf("a dead one: %+v", e)
	}
}

// Whom sentinels watch is shown with them.
func TestStatusOfSentinels(t *testing.T) {
	t.Parallel()
	s := redisserver.StartSentinels(t)
	p := at(t, "redis+sentinel://"+strings.Join(s.Addresses(), ",")+"/"+s.Name)
	now := p.status(0)
	if len(now.Endpoints) != 5 {
		t.Errorf("got %+v, want three sentinels, a primary and a replica", now.Endpoints)
	}
	for _, address := range s.Addresses() {
		if e := now.at(t, address); !e.Healthy || e.Role != "sentinel" || e.Version == "" {
			t.Errorf("a sentinel: %+v", e)
		}
	}
	if e := now.at(t, s.Primary.Address()); !e.Healthy || e.Role != "primary" || e.warned("no replica") {
		t.Errorf("the primary: %+v", e)
	}
	if e := now.at(t, s.Replica.Address()); !e.Healthy || e.Role != "replica" {
		t.Errorf("the replica: %+v", e)
	}
	s.Replica.Kill()
	for until := time.Now().Add(soon); ; {
		now = p.status(0)
		if now.at(t, s.Primary.Address()).warned("no replica follows it") || time.Now().After(until) {
			break // the primary has noticed
		}
	}
	if e := now.at(t, s.Replica.Address()); e.Healthy || !strings.Contains(e.Error, "connection refused") {
		t.Errorf("the replica that was killed: %+v", e)
	}
	if e := now.at(t, s.Primary.Address()); !e.Healthy || !e.warned("no replica follows it") {
		t.Errorf("the primary without it: %+v", e)
	}
}

// All members of a cluster are shown, whichever one the URL names.
func TestStatusOfCluster(t *testing.T) {
	t.Parallel()
	c := redisserver.StartCluster(t, 3)
	p := at(t, "redis+cluster://"+c.Addresses()[0])
	now := p.status(0)
	if len(now.Endpoints) != 3 {
		t.Errorf("got %+v, want all three", now.Endpoints)
	}
	for _, address := range c.Addresses() {
		if e := now.at(t, address); !e.Healthy || e.Role != "primary" {
			t.Errorf("a member: %+v", e)
		}
	}
}
