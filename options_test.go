package holdgate_test

import (
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// featured is a driver that promises other things than the one in memory does.
type featured struct {
	*memdriver.Driver
	features driver.Features
}

func (f featured) Features() driver.Features { return f.features }

// promising returns a driver with changed features.
func promising(change func(*driver.Features)) featured {
	d := featured{Driver: memdriver.New()}
	d.features = d.Driver.Features()
	change(&d.features)
	return d
}

func TestNewNeedsADriver(t *testing.T) {
	t.Parallel()
	if c, err := holdgate.New(nil, nil); !errors.Is(err, driver.ErrInvalid) || c != nil {
		t.Errorf("got %v, %v; want ErrInvalid", c, err)
	}
}

func TestOptionsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		opts   holdgate.Options
		change func(*driver.Features)
		want   string
	}{
		{name: "TTL negative", opts: holdgate.Options{TTL: -1}, want: "Options.TTL is 1s to 24h0m0s on this store, not -1ns"},
		{name: "TTL 1 ms", opts: holdgate.Options{TTL: time.Millisecond}, want: "Options.TTL is 1s to 24h0m0s on this store, not 1ms"},
		{name: "TTL 10 years", opts: holdgate.Options{TTL: 87600 * time.Hour}, want: "Options.TTL is 1s to 24h0m0s on this store, not 87600h0m0s"},
		{
			name: "TTL below the store's", opts: holdgate.Options{TTL: 3 * time.Second},
			change: func(f *driver.Features) { f.MinTTL = 4 * time.Second },
			want:   "Options.TTL is 4s to 24h0m0s on this store, not 3s",
		},
		{
			name: "TTL above the store's", opts: holdgate.Options{TTL: 50 * time.Second},
			change: func(f *driver.Features) { f.MaxTTL = 40 * time.Second },
			want:   "Options.TTL is 1s to 40s on this store, not 50s",
		},
		{name: "owner too long", opts: holdgate.Options{Owner: strings.Repeat("o", 257)}, want: "Options.Owner: too large: an owner has at most 256 bytes, this one has 257"},
		{name: "owner not UTF-8", opts: holdgate.Options{Owner: "\xff"}, want: `Options.Owner: invalid input: an owner is UTF-8 without NUL, "\xff" is not`},
		{name: "owner with NUL", opts: holdgate.Options{Owner: "a\x00b"}, want: `Options.Owner: invalid input: an owner is UTF-8 without NUL, "a\x00b" is not`},
		{name: "reason too long", opts: holdgate.Options{Reason: strings.Repeat("r", 1025)}, want: "Options.Reason: too large: a reason has at most 1024 bytes, this one has 1025"},
		{name: "reason of a MiB", opts: holdgate.Options{Reason: strings.Repeat("r", 1<<20)}, want: "Options.Reason: too large: a reason has at most 1024 bytes, this one has 1048576"},
		{name: "reason too long as JSON", opts: holdgate.Options{Reason: strings.Repeat("\x01", 1024)}, want: "Options.Reason takes at most 3968 bytes as JSON, not 6157"},
		{name: "under no place", opts: holdgate.Options{Under: []string{"x"}}, want: `Options.Under: invalid input: a place ID is 32 lower-case hexadecimal digits, not "x"`},
		{name: "hand-off time negative", opts: holdgate.Options{Handoff: holdgate.Handoff{Time: -1}}, want: "Options.Handoff.Time is 0 to 1s, not -1ns"},
		{name: "hand-off time too long", opts: holdgate.Options{Handoff: holdgate.Handoff{Time: 2 * time.Second}}, want: "Options.Handoff.Time is 0 to 1s, not 2s"},
		{name: "hand-off grants negative", opts: holdgate.Options{Handoff: holdgate.Handoff{Grants: -1}}, want: "Options.Handoff.Grants is 0 to 200, not -1"},
		{name: "hand-off grants too many", opts: holdgate.Options{Handoff: holdgate.Handoff{Grants: 201}}, want: "Options.Handoff.Grants is 0 to 200, not 201"},
		{
			name: "requires more safety", opts: holdgate.Options{Require: holdgate.Require{Safety: driver.SafetyLinearizable}},
			change: func(f *driver.Features) { f.Safety = driver.SafetySingleMachine },
			want:   "Options.Require.Safety is linearizable, memory gives single machine: not supported by this store",
		},
		{
			name: "requires tokens", opts: holdgate.Options{Require: holdgate.Require{Tokens: true}},
			change: func(f *driver.Features) { f.Tokens = false },
			want:   "Options.Require.Tokens: memory gives no fencing tokens: not supported by this store",
		},
		{
			name: "requires fairness", opts: holdgate.Options{Require: holdgate.Require{Fair: true}},
			change: func(f *driver.Features) { f.Fair = false },
			want:   "Options.Require.Fair: memory does not keep the order of waiters: not supported by this store",
		},
		{
			name: "requires sharing", opts: holdgate.Options{Require: holdgate.Require{Shared: true}},
			change: func(f *driver.Features) { f.Shared = false },
			want:   "Options.Require.Shared: memory has only exclusive locks: not supported by this store",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			change := tt.change
			if change == nil {
				change = func(*driver.Features) {}
			}
			c, err := holdgate.New(promising(change), &tt.opts)
			if c != nil || err == nil {
				t.Fatalf("got %v, %v; want an error", c, err)
			}
			if want := "holdgate: " + tt.want; err.Error() != want {
				t.Errorf("got  %q\nwant %q", err, want)
			}
			if required := strings.Contains(tt.want, "Require"); errors.Is(err, holdgate.ErrUnsupported) != required {
				t.Errorf("matches ErrUnsupported: %v; want %v", !required, required)
			}
		})
	}
}

func TestOptionsAccepted(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*holdgate.Options{
		"nil":        nil,
		"zero":       {},
		"least TTL":  {TTL: holdgate.MinTTL},
		"most TTL":   {TTL: holdgate.MaxTTL},
		"long texts": {Owner: strings.Repeat("o", 256), Reason: strings.Repeat("r", 1024)},
		"everything": {
			Require: holdgate.Require{Safety: driver.SafetyLinearizable, Tokens: true, Fair: true, Shared: true},
			Handoff: holdgate.Handoff{Time: time.Second, Grants: 200},
			Logger:  slog.New(slog.DiscardHandler),
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c := newClient(t, memdriver.NewStore(), opts)
				h, err := c.Mutex("x").Lock(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				pass(2 * time.Second) // long enough for the note of since when
				mustRelease(t, h)
			})
		})
	}
}

// The options that were given are the caller's: they are not changed, and changing
// them afterwards changes nothing.
func TestOptionsAreCopied(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		opts := holdgate.Options{Owner: "me"}
		c := newClient(t, store, &opts)
		if opts.TTL != 0 || opts.Logger != nil || opts.Handoff != (holdgate.Handoff{}) {
			t.Errorf("New changed the options: %+v", opts)
		}
		opts.Owner = "somebody else"
		if _, err := c.Mutex("x").Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := placesOf(store, "x")[0].Owner; got != "me" {
			t.Errorf("the owner is %q; want %q", got, "me")
		}
	})
}

func TestOptionsDefaults(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		c := newClient(t, store, nil)
		if _, err := c.Mutex("x").Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		p := placesOf(store, "x")[0]
		if p.TTL != holdgate.DefaultTTL {
			t.Errorf("the TTL is %v; want %v", p.TTL, holdgate.DefaultTTL)
		}
		host, err := os.Hostname()
		if err != nil {
			t.Fatal(err)
		}
		if want := host + ":" + strconv.Itoa(os.Getpid()); p.Owner != want {
			t.Errorf("the owner is %q; want %q", p.Owner, want)
		}
	})
}

// Where the store asks for more than the default TTL, the default is what it asks for.
func TestOptionsDefaultTTLOfStore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := promising(func(f *driver.Features) { f.MinTTL = time.Minute })
		c, err := holdgate.New(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		if _, err := c.Mutex("x").Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := placesOf(d.Store(), "x")[0].TTL; got != time.Minute {
			t.Errorf("the TTL is %v; want 1m", got)
		}
	})
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	c, err := holdgate.New(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Features(), d.Features(); got != want {
		t.Errorf("got %+v; want %+v", got, want)
	}
}
