package memdriver_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Two processes on one store: the second is in line behind the first.
func Example() {
	ctx := context.Background()
	store := memdriver.NewStore()
	first, _ := store.Connect(nil).Open(ctx, driver.SessionOptions{TTL: time.Minute, Owner: "first"})
	second, _ := store.Connect(nil).Open(ctx, driver.SessionOptions{TTL: time.Minute, Owner: "second"})

	mutex := driver.Claim{Line: "orders/42", Kind: driver.KindMutex, Capacity: 1, Units: 1}
	mutex.ID = "00000000000000000000000000000001"
	held, _ := first.Enter(ctx, mutex)
	fmt.Println("first is granted:", held.Granted)

	mutex.ID = "00000000000000000000000000000002"
	waiting, _ := second.Enter(ctx, mutex)
	fmt.Println("second is granted:", waiting.Granted)

	_ = first.Leave(ctx, held.Line, held.ID)
	waiting, _ = second.Wait(ctx, waiting)
	fmt.Println("second is granted:", waiting.Granted, "with a greater order:", waiting.Order > held.Order)
	// Output:
	// first is granted: true
	// second is granted: false
	// second is granted: true with a greater order: true
}

// An answer gets lost: the caller cannot know, and the place is there.
func ExampleStore_Connect_faults() {
	ctx := context.Background()
	store := memdriver.NewStore()
	d := store.Connect(&memdriver.Options{Faults: func(c memdriver.Call) memdriver.Fault {
		if c.Op == memdriver.OpEnter {
			return memdriver.Fault{Lose: memdriver.LoseAnswer}
		}
		return memdriver.Fault{}
	}})
	s, _ := d.Open(ctx, driver.SessionOptions{TTL: time.Minute})
	_, err := s.Enter(ctx, driver.Claim{
		Line: "orders/42", ID: "00000000000000000000000000000001",
		Kind: driver.KindMutex, Capacity: 1, Units: 1,
	})
	fmt.Println("unknown:", errors.Is(err, driver.ErrUnknownOutcome))
	fmt.Println("places:", len(store.Lines()[0].Places))
	// Output:
	// unknown: true
	// places: 1
}

// An operator revokes a session before its time.
func ExampleStore_ExpireSession() {
	ctx := context.Background()
	d := memdriver.New()
	s, _ := d.Open(ctx, driver.SessionOptions{TTL: time.Minute})
	d.Store().ExpireSession(s.ID())
	_, err := s.Renew(ctx)
	fmt.Println(errors.Is(err, driver.ErrSessionLost))
	// Output: true
}

// A process is stopped: what it calls is not sent before it goes on.
func ExampleSkewClock() {
	ctx := context.Background()
	store := memdriver.NewStore()
	clock := memdriver.NewSkewClock()
	d := store.Connect(&memdriver.Options{Clock: clock})

	clock.Pause()
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		_, _ = d.Open(ctx, driver.SessionOptions{TTL: time.Minute})
	}()
	fmt.Println("while stopped:", len(store.Sessions()))
	clock.Resume()
	<-opened
	fmt.Println("afterwards:", len(store.Sessions()))
	// Output:
	// while stopped: 0
	// afterwards: 1
}
