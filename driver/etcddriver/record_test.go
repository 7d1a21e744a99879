package etcddriver

import (
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

const someID = "0123456789abcdef0123456789abcdef"

func TestPlaceValue(t *testing.T) {
	t.Parallel()
	whose := identity{Owner: `a "1"`, TTL: 10}.open()
	value := string(placeValue(use{driver.KindSemaphore, 4}, 2, someID, whose, []byte(`{"job":7}`)))
	want := `semaphore/4/2 ` + someID + ` {"owner":"a \"1\"","ttl":10,"data":{"job":7}}`
	if value != want {
		t.Fatalf("got the value\n%s, want\n%s", value, want)
	}
	h, units, ok := parsePlace(value)
	if !ok || h.use != (use{driver.KindSemaphore, 4}) || units != 2 || h.id != someID {
		t.Errorf("got the header %+v with %d units, %v", h, units, ok)
	}
	var p driver.Place
	if err := fill(&p, value); err != nil {
		t.Fatal(err)
	}
	if p.Owner != `a "1"` || p.TTL != 10*time.Second || string(p.Data) != `{"job":7}` {
		t.Errorf("got the owner %q, the TTL %v and the data %s", p.Owner, p.TTL, p.Data)
	}
}

func TestMarkValue(t *testing.T) {
	t.Parallel()
	value := string(markValue(use{driver.KindMutex, 1}, someID, notice{Reason: "<maintenance>", By: "ops"}))
	if id, ok := isMark(value); !ok || id != someID {
		t.Errorf("got a mark of %q, %v, want one of %s", id, ok, someID)
	}
	if _, _, ok := parsePlace(value); ok {
		t.Error("a mark is taken for a place")
	}
	if n := parseMark(value); n.Reason != "<maintenance>" || n.By != "ops" {
		t.Errorf("got the notice %+v", n)
	}
	if _, ok := isMark(string(placeValue(use{driver.KindMutex, 1}, 1, someID, "{", nil))); ok {
		t.Error("a place is taken for a mark")
	}
}

func TestForeignValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"", " ", "mutex", "mutex/1/1", "mutex/1/1 ", "mutex/1/1 " + someID, "mutex/1/1 short {}",
		"mutex/0/0 " + someID + " {}", "mutex/1/2 " + someID + " {}", "mutex/1/-1 " + someID + " {}",
		"mutex/x/1 " + someID + " {}", "Mutex/1/1 " + someID + " {}", "/1/1 " + someID + " {}",
		"mutex/9999999999/1 " + someID + " {}", `{"json":true}`, "mutex/1 " + someID + " {}",
	} {
		if _, _, ok := parsePlace(value); ok {
			t.Errorf("%q is taken for a place of ours", value)
		}
	}
}

// One comparison from above and one from below must hold for all values of a use, and for
// no others: a transaction judges a line by them.
func TestBoundsOfAUse(t *testing.T) {
	t.Parallel()
	uses := []use{
		{driver.KindMutex, 1},
		{driver.KindElection, 1},
		{driver.KindSemaphore, 1},
		{driver.KindSemaphore, 2},
		{driver.KindSemaphore, 10},
		{driver.KindSemaphore, 11},
		{driver.KindSemaphore, 100},
		{driver.KindRW, driver.MaxCapacity},
		{"mutexa", 1},
		{"mute", 1},
	}
	for _, u := range uses {
		above, below := u.bounds()
		for _, other := range uses {
			for what, value := range map[string]string{
				"place": string(placeValue(other, 1, someID, "{", nil)),
				"mark":  string(markValue(other, someID, notice{})),
			} {
				if within := value > above && value < below; within != (u == other) {
					t.Errorf("a %s of %+v is within the bounds of %+v: %v", what, other, u, within)
				}
			}
		}
		for _, foreign := range []string{"", u.head(), "0", "zzz", strings.TrimSuffix(u.head(), "/")} {
			if foreign > above && foreign < below {
				t.Errorf("the foreign value %q is within the bounds of %+v", foreign, u)
			}
		}
	}
}

func FuzzParsePlace(f *testing.F) {
	f.Add("mutex/1/1 " + someID + ` {"ttl":10}`)
	f.Add("rw/1073741824/1 " + someID + ` {}`)
	f.Add("mutex/1/evicted " + someID + ` {"reason":"x"}`)
	f.Add("")
	f.Fuzz(func(t *testing.T, value string) {
		h, units, ok := parsePlace(value)
		if !ok {
			return
		}
		again := driver.Claim{Line: "x", ID: h.id, Kind: h.kind, Capacity: h.capacity, Units: units}
		if err := again.Check(); err != nil {
			t.Errorf("%q is taken for a place that nobody can claim: %v", value, err)
		}
		// Whatever is behind the header, the place counts, and can be shown.
		_ = fill(new(driver.Place), value)
	})
}
