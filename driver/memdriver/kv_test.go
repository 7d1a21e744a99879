package memdriver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// A version is never used again for a key, also when the key was deleted or had
// expired in between.
func TestVersionsOnlyGrow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		first := must(t, d.Put, driver.Put{Key: "k", Value: []byte("1")})
		if err := d.Delete(t.Context(), "k", first.Version); err != nil {
			t.Fatal(err)
		}
		second := must(t, d.Put, driver.Put{Key: "k", Value: []byte("2"), TTL: time.Second})
		time.Sleep(time.Second)
		_, err := d.Get(t.Context(), "k")
		wantErr(t, err, driver.ErrGone)
		third := must(t, d.Put, driver.Put{Key: "k", IfVersion: new(uint64)})
		if first.Version >= second.Version || second.Version >= third.Version {
			t.Errorf("got versions %d, %d, %d", first.Version, second.Version, third.Version)
		}
		_, err = d.Put(t.Context(), driver.Put{Key: "k", IfVersion: &second.Version})
		wantErr(t, err, driver.ErrConflict)
		wantErr(t, d.Delete(t.Context(), "k", second.Version), driver.ErrConflict)
	})
}

// A Put takes the place of the TTL of the one before it.
func TestPutResetsTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		must(t, d.Put, driver.Put{Key: "k", TTL: time.Second})
		must(t, d.Put, driver.Put{Key: "k", TTL: time.Minute})
		time.Sleep(time.Second)
		must(t, d.Get, "k")
		must(t, d.Put, driver.Put{Key: "k"})
		time.Sleep(time.Hour)
		must(t, d.Get, "k")
	})
}

// S65: a watcher ends on the last value, and is told of what expires on time.
func TestWatchKV(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := memdriver.New()
		must(t, d.Put, driver.Put{Key: "b", Value: []byte("0")})
		start := time.Now()
		n := 0
		for snap, err := range d.WatchKV(t.Context(), driver.Query{Prefix: true}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			switch n {
			case 1:
				if len(snap.Entries) != 1 || !snap.Full {
					t.Errorf("first: got %+v", snap)
				}
				for _, v := range []string{"1", "2", "3"} {
					must(t, d.Put, driver.Put{Key: "a", Value: []byte(v), TTL: 10 * time.Second})
				}
			case 2:
				if len(snap.Entries) != 1 || string(snap.Entries[0].Value) != "3" || snap.Full {
					t.Errorf("second: got %+v", snap)
				}
			}
			if n == 3 {
				if len(snap.Deleted) != 1 || snap.Deleted[0] != "a" {
					t.Errorf("third: got %+v", snap)
				}
				break
			}
		}
		if got := time.Since(start); got != 10*time.Second {
			t.Errorf("told of the expiry after %v, want 10s", got)
		}
	})
}

func TestBadPut(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	for name, tc := range map[string]struct {
		put  driver.Put
		want error
	}{
		"no key":       {driver.Put{}, driver.ErrInvalid},
		"negative TTL": {driver.Put{Key: "k", TTL: -1}, driver.ErrInvalid},
		"too large":    {driver.Put{Key: "k", Value: make([]byte, driver.MaxValue+1)}, driver.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := d.Put(t.Context(), tc.put)
			wantErr(t, err, tc.want)
		})
	}
}

// What is handed in and out is nobody else's.
func TestValuesAreCopied(t *testing.T) {
	t.Parallel()
	d := memdriver.New()
	s := open(t, d, time.Minute)
	value, data := []byte("value"), []byte(`"data"`)
	must(t, d.Put, driver.Put{Key: "k", Value: value}).Value[0] = 'x'
	c := claim("l", 1)
	c.Data = data
	must(t, s.Enter, c).Data[1] = 'x'
	value[0], data[1] = 'y', 'y'
	if got := must(t, d.Get, "k"); string(got.Value) != "value" {
		t.Errorf("got value %q", got.Value)
	}
	if got := must(t, d.Line, "l").Places[0]; string(got.Data) != `"data"` {
		t.Errorf("got data %s", got.Data)
	}
}
