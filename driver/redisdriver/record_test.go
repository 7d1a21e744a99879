package redisdriver

import (
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

func TestReadRecord(t *testing.T) {
	t.Parallel()
	p := driver.Place{Line: "orders", ID: "id"}
	if err := readRecord(&p, `2 3 1764504000123456 00ff {"a b":1}`); err != nil {
		t.Fatal(err)
	}
	if p.Units != 2 || p.Version != 3 || p.Order != 1764504000123456 || p.Session != "00ff" || string(p.Data) != `{"a b":1}` {
		t.Errorf("got %+v", p)
	}
	if err := readRecord(&p, "1 1 5 00ff "); err != nil || p.Order != 5 {
		t.Errorf("a record without data: %+v, error %v", p, err)
	}
}

func FuzzReadRecord(f *testing.F) {
	f.Add("1 1 1764504000123456 00ff data")
	f.Add("")
	f.Add("1 1 -1 x")
	f.Fuzz(func(t *testing.T, record string) {
		var p driver.Place
		err := readRecord(&p, record)
		if err == nil && strings.Count(record, " ") < 4 {
			t.Errorf("%q was read as %+v", record, p)
		}
	})
}

func TestMarkRoundTrip(t *testing.T) {
	t.Parallel()
	want := driver.Eviction{Line: "orders", PlaceID: "id", Reason: "\"<锁>\"\n", By: "ops"}
	text, err := writeMark(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readMark("orders", "id", text); err != nil || got != want {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
}
