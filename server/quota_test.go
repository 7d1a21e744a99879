package server

import (
	"testing"

	"github.com/holdgate/holdgate/driver/memdriver"
)

// What a session had is given back when it is dropped. A place that was about to be entered at
// that moment is counted for nobody: nobody would give it back.
func TestQuotaOfADroppedSession(t *testing.T) {
	t.Parallel()
	drv := memdriver.New()
	defer drv.Close()
	s, err := New(drv, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	who, e := &caller{name: "ann"}, newEntry("1", "ann")
	if err := s.quotas.take("ann", quotaSessions, 1); err != nil {
		t.Fatal(err)
	}
	s.sessions.byID["1"] = e
	if isNew, err := s.sessions.reserve(who, e, "p"); !isNew || err != nil {
		t.Errorf("got %v, %v; want a place that is counted", isNew, err)
	}
	s.sessions.drop(e)
	if isNew, err := s.sessions.reserve(who, e, "q"); isNew || err != nil {
		t.Errorf("got %v, %v; want a place that is not counted", isNew, err)
	}
	if n := s.quotas.total(quotaPlaces) + s.quotas.total(quotaSessions); n != 0 {
		t.Errorf("%d are counted, want none", n)
	}
}
