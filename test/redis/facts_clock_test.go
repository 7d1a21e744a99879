package redis_test

import (
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// A server whose clock is set an hour ahead ends all sessions at that moment, while their
// holders believe. They are told at their next renewal, the next one is granted, and its
// token is the larger one. That is what best effort means.
func TestServerClockAnHourAhead(t *testing.T) {
	t.Parallel()
	server, set := startWithClock(t)
	a, b := newActor(t, server, nil, time.Minute), newActor(t, server, nil, time.Minute)
	before := a.take("orders")
	next := mutex("orders")
	next.Try = true
	_, err := b.ses.Enter(t.Context(), next)
	fails(t, err, driver.ErrBusy, "a try of what is held")

	set(time.Hour)
	_, err = b.ses.Renew(t.Context())
	fails(t, err, driver.ErrSessionLost, "Renew, the clock an hour ahead")
	b.open(time.Minute)
	after := b.take("orders") // while its holder has not heard yet
	_, err = a.ses.Renew(t.Context())
	fails(t, err, driver.ErrSessionLost, "Renew of the holder")
	fails(t, a.ses.Leave(t.Context(), "orders", before.ID), driver.ErrSessionLost, "Leave of the holder")
	if after.Order <= before.Order {
		t.Errorf("got the order %d after the order %d", after.Order, before.Order)
	}
	if _, err := b.ses.Renew(t.Context()); err != nil {
		t.Fatalf("Renew of the new holder: %v", err)
	}
}

// A clock that is set back keeps the dead for longer, and lets no order repeat.
func TestServerClockSetBack(t *testing.T) {
	t.Parallel()
	server, set := startWithClock(t)
	a := newActor(t, server, nil, time.Minute)
	first := a.take("orders")
	a.leave(first)
	set(-time.Hour)
	last := first.Order
	for range 5 {
		p := a.take("orders")
		if p.Order <= last {
			t.Fatalf("got the order %d after the order %d", p.Order, last)
		}
		last = p.Order
		a.leave(p)
	}
	if _, err := a.ses.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
}
