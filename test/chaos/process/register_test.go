package process_test

import (
	"path/filepath"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// The register takes no write after one with a larger token, of each name by itself, and
// has decided on all that was sent once it is closed.
func TestRegister(t *testing.T) {
	t.Parallel()
	var log history.Log
	socket := filepath.Join(t.TempDir(), "register")
	r, err := process.NewRegister(socket, &log)
	if err != nil {
		t.Fatal(err)
	}
	pen, err := process.NewPen(socket)
	if err != nil {
		t.Fatal(err)
	}
	writes := []struct {
		name  string
		token uint64
		want  history.Kind
	}{
		{"a", 5, history.Accept},
		{"a", 5, history.Accept},
		{"b", 3, history.Accept},
		{"a", 4, history.Reject},
		{"a", 6, history.Accept},
	}
	for _, w := range writes {
		if err := pen.Write(w.name, "h", w.token); err != nil {
			t.Fatal(err)
		}
	}
	if err := pen.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	events := log.Events()
	if len(events) != len(writes) {
		t.Fatalf("got %d decisions, want %d", len(events), len(writes))
	}
	for i, w := range writes {
		if e := events[i]; e.Kind != w.want || e.Name != w.name || e.Token != w.token || e.Hold != "h" || e.At == 0 {
			t.Errorf("decision %d: got %+v, want %s of %q, token %d", i, e, w.want, w.name, w.token)
		}
	}
}
