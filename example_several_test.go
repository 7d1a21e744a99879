package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Two transfers in opposite directions do not wait for each other.
func ExampleClient_LockAll() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	hold, err := client.LockAll(ctx, "account/7", "account/3")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer hold.Release(ctx)
	fmt.Println(hold.Names())
	fmt.Println(hold.TokenFor("account/7") != 0, hold.TokenFor("account/9") != 0)
	// Output:
	// [account/3 account/7]
	// true false
}

func ExampleClient_TryLockAll() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, nil), open(store, nil)
	if _, err := one.Mutex("account/7").Lock(ctx); err != nil {
		fmt.Println(err)
		return
	}
	_, err := two.TryLockAll(ctx, "account/3", "account/7")
	fmt.Println(errors.Is(err, holdgate.ErrBusy))
	hold, err := two.Mutex("account/3").TryLock(ctx) // that one was not taken
	fmt.Println(hold.Name(), err)
	// Output:
	// true
	// account/3 <nil>
}

// A function that locks for itself is called by one that has the lock: the context says so.
func ExampleReentrant() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	account := client.Reentrant("account/7")
	outer, err := account.Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	inner, err := account.Lock(outer.Context())
	fmt.Println("again:", err, inner.Token() == outer.Token())
	outer.Release(ctx)
	_, err = client.Mutex("account/7").TryLock(ctx)
	fmt.Println("still held:", errors.Is(err, holdgate.ErrBusy))
	fmt.Println(inner.Release(ctx))
	// Output:
	// again: <nil> true
	// still held: true
	// <nil>
}

func ExampleBarrier() {
	ctx := context.Background()
	store := memdriver.NewStore()
	ready := make(chan error)
	for range 2 { // in two processes, in real life
		go func() { ready <- open(store, nil).Barrier("phase/1", 3).Wait(ctx) }()
	}
	select {
	case err := <-ready:
		fmt.Println("began with two of three", err)
	case <-time.After(10 * time.Millisecond):
	}
	err := open(store, nil).Barrier("phase/1", 3).Wait(ctx)
	fmt.Println(err, <-ready, <-ready)
	// Output: <nil> <nil> <nil>
}

// All begin together, and none goes on before all are done.
func ExampleParty_Leave() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	party, err := client.Barrier("phase/2", 1).Enter(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("works")
	fmt.Println(party.Leave(ctx))
	// Output:
	// works
	// <nil>
}

// A job that cron starts on every machine runs on one.
func ExampleClient_Once() {
	ctx := context.Background()
	store := memdriver.NewStore()
	for _, machine := range []string{"one", "two"} {
		client := open(store, &holdgate.Options{Owner: machine})
		done, err := client.Once(ctx, "nightly/2026-11-30", time.Hour, func(context.Context, *holdgate.Hold) error {
			fmt.Println("runs on", machine)
			return nil
		})
		fmt.Println(machine, "did it:", done.Ran, "it was done by", done.By, err)
	}
	// Output:
	// runs on one
	// one did it: true it was done by one <nil>
	// two did it: false it was done by one <nil>
}
