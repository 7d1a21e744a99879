package config_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/config"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func TestVersions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := connect(t, store), connect(t, store)
		first, err := a.PutIf(t.Context(), "limit", []byte("10"), 0)
		if err != nil || first.Key != "limit" || first.Version == 0 {
			t.Fatalf("created %+v, %v", first, err)
		}
		_, err = b.PutIf(t.Context(), "limit", []byte("11"), 0)
		wantErr(t, err, config.ErrConflict)
		second, err := b.PutIf(t.Context(), "limit", []byte("12"), first.Version)
		if err != nil || second.Version <= first.Version {
			t.Fatalf("changed %+v to %+v, %v", first, second, err)
		}
		_, err = a.PutIf(t.Context(), "limit", []byte("13"), first.Version)
		wantErr(t, err, config.ErrConflict)
		wantErr(t, a.DeleteIf(t.Context(), "limit", first.Version), config.ErrConflict)
		a.want(t, "limit", "12")
		if err := a.DeleteIf(t.Context(), "limit", second.Version); err != nil {
			t.Error(err)
		}
		wantErr(t, a.Delete(t.Context(), "limit"), config.ErrNotFound)
		_, err = a.Get(t.Context(), "limit")
		wantErr(t, err, config.ErrNotFound)
		if again := a.put(t, "limit", "14"); again.Version <= second.Version {
			t.Errorf("version %d after it was deleted, want more than %d", again.Version, second.Version)
		}
	})
}

// Settings are apart from what else is kept in the store.
func TestListIsApart(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := connect(t, memdriver.NewStore())
		client, err := holdgate.New(p.drv, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Once(t.Context(), "report", time.Hour, func(context.Context, *holdgate.Hold) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := client.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"b/2", "a", "b/1", "ü"} {
			p.put(t, key, key)
		}
		for prefix, want := range map[string][]string{"": {"a", "b/1", "b/2", "ü"}, "b/": {"b/1", "b/2"}, "c": {}} {
			entries, err := p.List(t.Context(), prefix)
			got := []string{}
			for _, e := range entries {
				got = append(got, e.Key)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("List(%q) = %q, %v; want %q", prefix, got, err, want)
			}
		}
	})
}

func TestBadInput(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := connect(t, memdriver.NewStore())
		for _, key := range []string{"", "a\x00b", "\xff", strings.Repeat("x", config.MaxKey+1)} {
			_, err := p.Get(t.Context(), key)
			wantErr(t, err, config.ErrInvalid)
			_, err = p.Put(t.Context(), key, nil)
			wantErr(t, err, config.ErrInvalid)
			wantErr(t, p.Delete(t.Context(), key), config.ErrInvalid)
			if key == "" {
				continue // as a prefix it is all
			}
			_, err = p.List(t.Context(), key)
			wantErr(t, err, config.ErrInvalid)
			for _, err := range p.Watch(t.Context(), key) {
				wantErr(t, err, config.ErrInvalid)
			}
		}
		_, err := p.Put(t.Context(), "big", make([]byte, config.MaxValue+1))
		wantErr(t, err, config.ErrTooLarge)
		wantErr(t, p.DeleteIf(t.Context(), "a", 0), config.ErrInvalid)
		p.put(t, strings.Repeat("x", config.MaxKey), "")
		_, err = config.New(p.drv, &config.Options{Patience: -1})
		wantErr(t, err, config.ErrInvalid)
		_, err = config.New(keyless{p.drv}, nil)
		wantErr(t, err, config.ErrUnsupported)
	})
}

// keyless is a store without a map.
type keyless struct{ driver.Driver }

func (k keyless) Features() driver.Features {
	f := k.Driver.Features()
	f.KV = false
	return f
}

// What did not happen is tried again; what may have happened is not.
func TestRetries(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := connect(t, memdriver.NewStore())
		p.faults.next(memdriver.OpPut, 3, memdriver.Fault{Lose: memdriver.LoseRequest})
		p.put(t, "a", "1")
		if n := p.faults.count(memdriver.OpPut); n != 4 {
			t.Errorf("sent %d times, want 4", n)
		}
		p.faults.next(memdriver.OpPut, 1, memdriver.Fault{Lose: memdriver.LoseAnswer})
		_, err := p.Put(t.Context(), "a", []byte("2"))
		wantErr(t, err, config.ErrUnknownOutcome)
		if n := p.faults.count(memdriver.OpPut); n != 5 {
			t.Errorf("sent %d times, want once more", n)
		}
		p.want(t, "a", "2")
	})
}

// A store that is away is told when patience ends, or the context does.
func TestAway(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := connect(t, memdriver.NewStore())
				p.drv.SetLink(link)
				begun := time.Now()
				_, err := p.Get(t.Context(), "a")
				wantErr(t, err, config.ErrUnavailable)
				if took := time.Since(begun); took < config.DefaultPatience || took > config.DefaultPatience+6*time.Second {
					t.Errorf("it went on for %v", took)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				begun = time.Now()
				_, err = p.List(ctx, "")
				wantErr(t, err, context.DeadlineExceeded)
				if took := time.Since(begun); took > time.Second+50*time.Millisecond {
					t.Errorf("it went on for %v after its context had ended", took)
				}
			})
		})
	}
}
