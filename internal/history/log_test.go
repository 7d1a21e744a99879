package history_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

func TestLog(t *testing.T) {
	t.Parallel()
	var l history.Log
	for _, e := range good() {
		l.Add(e)
	}
	got := l.Events()
	if !reflect.DeepEqual(got, good()) {
		t.Fatalf("got %v", got)
	}
	got[0].Client = "changed"
	if l.Events()[0].Client != "a" {
		t.Fatal("Events is not a copy")
	}
}

// What was written is read again, without what a killed process has cut off.
func TestWriteRead(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	w := history.NewWriter(&file)
	for _, e := range good() {
		w.Add(e)
	}
	if w.Err() != nil {
		t.Fatal(w.Err())
	}
	file.WriteString(`{"at_ns":7,"kind":"gra`)
	got, err := history.Read(&file)
	if err != nil || !reflect.DeepEqual(got, good()) {
		t.Fatalf("got %v, %v", got, err)
	}
}

func TestReadRefusesNoise(t *testing.T) {
	t.Parallel()
	_, err := history.Read(strings.NewReader("{}\nnoise\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Fatalf("got %v, want the number of the line", err)
	}
}

// A token exceeds 2^53: in JSON it is text.
func TestTokenIsText(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	history.NewWriter(&file).Add(history.Event{Kind: history.Grant, Token: 1<<63 - 1})
	if want := `"token":"9223372036854775807"`; !strings.Contains(file.String(), want) {
		t.Fatalf("got %s, want %s in it", &file, want)
	}
}

func TestWriterStopsAtAnError(t *testing.T) {
	t.Parallel()
	full := &fullDisk{room: 1}
	w := history.NewWriter(full)
	for _, e := range good()[:3] {
		w.Add(e)
	}
	if !errors.Is(w.Err(), errFull) || full.writes != 2 {
		t.Fatalf("error %v after %d writes, want %v after 2", w.Err(), full.writes, errFull)
	}
}

var errFull = errors.New("disk full")

type fullDisk struct{ room, writes int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.writes++; d.writes > d.room {
		return 0, errFull
	}
	return len(p), nil
}

// The histories of several processes become one, in which each keeps its order.
func TestMerge(t *testing.T) {
	t.Parallel()
	got := history.Merge(
		[]history.Event{{At: 1, Hold: "a1"}, {At: 3, Hold: "a2"}, {At: 3, Hold: "a3"}},
		[]history.Event{{At: 2, Hold: "b1"}, {At: 3, Hold: "b2"}},
	)
	var order []string
	for _, e := range got {
		order = append(order, e.Hold)
	}
	if want := []string{"a1", "b1", "a2", "a3", "b2"}; !reflect.DeepEqual(order, want) {
		t.Fatalf("got %v, want %v", order, want)
	}
}
