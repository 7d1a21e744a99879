package config_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/config"
	"github.com/holdgate/holdgate/driver/memdriver"
)

type limits struct {
	Workers int `json:"workers"`
}

var errTooFew = errors.New("at least one worker")

// told is what a value's callbacks were told.
type told struct {
	mu      sync.Mutex
	changes []int
	faults  []error
}

func (l *told) options(o config.ValueOptions[limits]) *config.ValueOptions[limits] {
	o.Validate = func(l limits) error {
		if l.Workers < 1 {
			return errTooFew
		}
		return nil
	}
	o.OnChange = func(v limits) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changes = append(l.changes, v.Workers)
	}
	o.OnError = func(err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.faults = append(l.faults, err)
	}
	return &o
}

func wantWorkers(t *testing.T, v *config.Value[limits], n int) {
	t.Helper()
	synctest.Wait()
	if got := v.Get().Workers; got != n {
		t.Errorf("%d workers, want %d", got, n)
	}
}

func TestValueFollows(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := connect(t, store), connect(t, store)
		first := a.put(t, "limits", `{"workers": 3}`)
		var l told
		v, err := config.Open(t.Context(), b.Config, "limits", l.options(config.ValueOptions[limits]{}))
		if err != nil {
			t.Fatal(err)
		}
		wantWorkers(t, v, 3)
		if v.Version() != first.Version || v.Err() != nil {
			t.Errorf("version %d, %v; want %d", v.Version(), v.Err(), first.Version)
		}
		good := a.put(t, "limits", `{"workers": 5}`)
		wantWorkers(t, v, 5)

		// A bad value is told, and the last good one stays.
		for value, kind := range map[string]error{`{"workers": 0}`: errTooFew, `{"workers": `: nil} {
			a.put(t, "limits", value)
			wantWorkers(t, v, 5)
			if err := v.Err(); err == nil || kind != nil && !errors.Is(err, kind) {
				t.Errorf("after %s: %v", value, err)
			}
			if v.Version() != good.Version {
				t.Errorf("version %d, want that of the good one, %d", v.Version(), good.Version)
			}
		}
		a.put(t, "limits", `{"workers": 7}`)
		wantWorkers(t, v, 7)
		if err := v.Err(); err != nil {
			t.Error(err)
		}

		// Without a default the last value outlives its key.
		if err := a.Delete(t.Context(), "limits"); err != nil {
			t.Fatal(err)
		}
		wantWorkers(t, v, 7)
		wantErr(t, v.Err(), config.ErrNotFound)

		v.Close()
		a.put(t, "limits", `{"workers": 9}`)
		wantWorkers(t, v, 7)
		if got := l.changes; len(got) != 2 || got[0] != 5 || got[1] != 7 {
			t.Errorf("told of the changes %v, want 5 and 7", got)
		}
		if len(l.faults) != 3 {
			t.Errorf("told of %d faults, want 3: %v", len(l.faults), l.faults)
		}
	})
}

func TestValueDefault(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := connect(t, store), connect(t, store)
		var l told
		v, err := config.Open(t.Context(), b.Config, "limits", l.options(config.ValueOptions[limits]{Default: &limits{Workers: 2}}))
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		wantWorkers(t, v, 2)
		if v.Version() != 0 || v.Err() != nil {
			t.Errorf("version %d, %v; want 0", v.Version(), v.Err())
		}
		a.put(t, "limits", `{"workers": 4}`)
		wantWorkers(t, v, 4)
		if err := a.Delete(t.Context(), "limits"); err != nil {
			t.Fatal(err)
		}
		wantWorkers(t, v, 2)
		if v.Version() != 0 || v.Err() != nil {
			t.Errorf("version %d, %v; want 0", v.Version(), v.Err())
		}
	})
}

func TestValueBadAtFirst(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := connect(t, memdriver.NewStore())
		var l told
		_, err := config.Open(t.Context(), p.Config, "limits", l.options(config.ValueOptions[limits]{}))
		wantErr(t, err, config.ErrNotFound)
		p.put(t, "limits", `{"workers": -1}`)
		_, err = config.Open(t.Context(), p.Config, "limits", l.options(config.ValueOptions[limits]{}))
		wantErr(t, err, errTooFew)
		v, err := config.Open(t.Context(), p.Config, "limits", l.options(config.ValueOptions[limits]{Default: &limits{Workers: 2}}))
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		wantWorkers(t, v, 2)
		wantErr(t, v.Err(), errTooFew)
	})
}

// Through an outage the value stands, and says that it may be old.
func TestValueThroughOutage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := connect(t, store), connect(t, store)
		a.put(t, "limits", `{"workers": 3}`)
		var l told
		v, err := config.Open(t.Context(), b.Config, "limits", l.options(config.ValueOptions[limits]{}))
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		wantWorkers(t, v, 3)
		b.drv.SetLink(memdriver.LinkRefuses)
		a.put(t, "limits", `{"workers": 0}`)
		time.Sleep(time.Minute)
		wantWorkers(t, v, 3)
		wantErr(t, v.Err(), config.ErrUnavailable)
		b.drv.SetLink(memdriver.LinkUp)
		time.Sleep(time.Minute)
		wantWorkers(t, v, 3)
		wantErr(t, v.Err(), errTooFew)
		b.drv.SetLink(memdriver.LinkRefuses)
		time.Sleep(time.Minute)
		b.drv.SetLink(memdriver.LinkUp)
		time.Sleep(time.Minute)
		wantErr(t, v.Err(), errTooFew) // that the store is back does not make it good
		a.put(t, "limits", `{"workers": 8}`)
		wantWorkers(t, v, 8)
		if err := v.Err(); err != nil {
			t.Error(err)
		}
	})
}
