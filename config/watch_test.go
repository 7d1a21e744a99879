package config_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver/memdriver"
)

// seen is what a watch has yielded.
type seen struct {
	mu  sync.Mutex
	all []string
	err error
}

// watch notes what a watch yields until the test ends.
func (p peer) watch(t *testing.T, prefix string) (*seen, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &seen{}
	done := make(chan struct{})
	go func() { // ends with the test
		defer close(done)
		for snapshot, err := range p.Watch(ctx, prefix) {
			s.add(describe(snapshot.Stale, func(yield func(string)) {
				for _, e := range snapshot.Entries {
					yield(fmt.Sprintf("%s=%s", e.Key, e.Value))
				}
			}), err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return s, cancel
}

func describe(stale bool, each func(func(string))) string {
	var parts []string
	each(func(s string) { parts = append(parts, s) })
	text := strings.Join(parts, " ")
	if stale {
		text += " (stale)"
	}
	return text
}

func (s *seen) add(text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.err = err
		return
	}
	s.all = append(s.all, text)
}

// last waits for all that is due, and returns what was yielded last.
func (s *seen) last(t *testing.T) string {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		t.Fatal("nothing was yielded")
	}
	return s.all[len(s.all)-1]
}

func (s *seen) want(t *testing.T, want string) {
	t.Helper()
	if got := s.last(t); got != want {
		t.Errorf("the watch shows %q, want %q", got, want)
	}
}

func TestWatch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := connect(t, store), connect(t, store)
		all, _ := b.watch(t, "")
		some, cancel := b.watch(t, "web/")
		all.want(t, "")
		some.want(t, "")
		a.put(t, "web/port", "80")
		a.put(t, "db", "pg")
		all.want(t, "db=pg web/port=80")
		some.want(t, "web/port=80")
		a.put(t, "web/port", "81")
		if err := a.Delete(t.Context(), "db"); err != nil {
			t.Fatal(err)
		}
		all.want(t, "web/port=81")
		some.want(t, "web/port=81")
		cancel()
		synctest.Wait()
		wantErr(t, some.err, context.Canceled)
	})
}

// Through an outage the last snapshot stands, as stale, and never an empty one.
func TestWatchThroughOutage(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := connect(t, store), connect(t, store)
				a.put(t, "limit", "10")
				w, _ := b.watch(t, "")
				w.want(t, "limit=10")
				b.drv.SetLink(link)
				a.put(t, "limit", "11")
				time.Sleep(time.Minute)
				if got := w.last(t); !strings.HasPrefix(got, "limit=10") {
					t.Errorf("while the store is away it shows %q", got)
				}
				b.drv.SetLink(memdriver.LinkUp)
				time.Sleep(time.Minute)
				w.want(t, "limit=11")
				for _, s := range w.all {
					if s == "" {
						t.Errorf("a false empty one: %q", w.all)
					}
				}
			})
		})
	}
}
