package redisdriver_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver/redisdriver"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer client.Close()
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": "127.0.0.1:1"}})
	defer ring.Close()
	for name, tc := range map[string]struct {
		client redis.UniversalClient
		opts   *redisdriver.Options
		want   string
	}{
		"no client":        {nil, nil, "no client"},
		"a ring":           {ring, nil, "*redis.Ring is neither"},
		"braces":           {client, &redisdriver.Options{Prefix: "a{b}"}, "Options.Prefix"},
		"a prefix not UTF": {client, &redisdriver.Options{Prefix: "\xff"}, "Options.Prefix"},
	} {
		_, err := redisdriver.New(tc.client, tc.opts)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got the error %v, want one about %q", name, err, tc.want)
		}
	}
}

// The caller's client is neither changed nor closed.
func TestCallersClientIsItsOwn(t *testing.T) {
	t.Parallel()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: 7})
	d, err := redisdriver.New(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if got := client.Options().MaxRetries; got != 7 {
		t.Errorf("the caller's client repeats %d times now, want 7", got)
	}
	if err := client.Close(); err != nil {
		t.Errorf("the caller's client was closed: %v", err)
	}
}
