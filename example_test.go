package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// The examples run on the store in memory. With another driver nothing else changes.

// open returns a client of its own on a store, as another process would have it.
func open(store *memdriver.Store, opts *holdgate.Options) *holdgate.Client {
	client, err := holdgate.New(store.Connect(nil), opts)
	if err != nil {
		panic(err)
	}
	return client
}

func ExampleNew() {
	ctx := context.Background()
	drv := memdriver.New() // or the driver of a store that many machines share
	client, err := holdgate.New(drv, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	hold, err := client.Mutex("orders/42").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("holds", hold.Name())
	fmt.Println(hold.Release(ctx), client.Close(ctx), drv.Close())
	// Output:
	// holds orders/42
	// <nil> <nil> <nil>
}

func ExampleNew_badOptions() {
	_, err := holdgate.New(memdriver.New(), &holdgate.Options{TTL: time.Millisecond})
	fmt.Println(err)
	// Output: holdgate: Options.TTL is 1s to 24h0m0s on this store, not 1ms
}

// A program that needs a promise of its store asks for it when it starts.
func ExampleRequire() {
	require := holdgate.Require{Safety: driver.SafetyLinearizable, Tokens: true}
	_, err := holdgate.New(memdriver.New(), &holdgate.Options{Require: require})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleMutex_Lock() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)

	wait, cancel := context.WithTimeout(ctx, 5*time.Second) // bounds only the wait
	defer cancel()
	hold, err := client.Mutex("report").Lock(wait)
	if err != nil {
		fmt.Println("not acquired:", err)
		return
	}
	defer hold.Release(ctx)
	fmt.Println("writing the report")
	// Output: writing the report
}

func ExampleMutex_Lock_deadline() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, nil), open(store, nil)
	if _, err := one.Mutex("report").Lock(ctx); err != nil {
		fmt.Println(err)
		return
	}
	wait, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	_, err := two.Mutex("report").Lock(wait)
	fmt.Println(errors.Is(err, holdgate.ErrNotAcquired), errors.Is(err, context.DeadlineExceeded))
	// Output: true true
}

// A hold's context tells who holds: locking the same name with it would wait for
// itself.
func ExampleMutex_Lock_deadlock() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Mutex("report").Lock(hold.Context())
	fmt.Println(errors.Is(err, holdgate.ErrDeadlock), err)
	// Output: true deadlock: the context belongs to a hold of "report"
}

func ExampleMutex_TryLock() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, &holdgate.Options{Owner: "billing"}), open(store, nil)
	if _, err := one.Mutex("report").TryLock(ctx); err != nil {
		fmt.Println(err)
		return
	}
	_, err := two.Mutex("report").TryLock(ctx)
	if errors.Is(err, holdgate.ErrBusy) {
		fmt.Println(err)
	}
	// Output: "report" is busy: held by "billing", 1 in line
}

func ExampleBusyError() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, &holdgate.Options{Owner: "billing", Reason: "month end"}), open(store, nil)
	if _, err := one.Mutex("report").Lock(ctx); err != nil {
		fmt.Println(err)
		return
	}
	_, err := two.Mutex("report").TryLock(ctx)
	if busy, ok := errors.AsType[*holdgate.BusyError](err); ok {
		fmt.Println(busy.Name, busy.Holder.Owner, busy.Holder.Reason, busy.Ahead)
	}
	// Output: report billing month end 1
}

func ExampleMutex_Name() {
	client := open(memdriver.NewStore(), nil)
	fmt.Println(client.Mutex("orders/42").Name())
	// Output: orders/42
}

func ExampleClient_Do() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	err := client.Do(ctx, "report", func(ctx context.Context, h *holdgate.Hold) error {
		fmt.Println("writing the report under", h.Name())
		return ctx.Err() // ends when the lock is lost
	})
	fmt.Println(err)
	// Output:
	// writing the report under report
	// <nil>
}

// Handoff.Strict gives every Lock a place of its own, first come, first served over
// all processes.
func ExampleHandoff() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), &holdgate.Options{Handoff: holdgate.Handoff{Strict: true}})
	defer client.Close(ctx)
	err := client.Do(ctx, "report", func(context.Context, *holdgate.Hold) error { return nil })
	fmt.Println(err)
	// Output: <nil>
}

// Work under a lock watches the hold's context: it ends when the lock is lost.
func ExampleHold_Context() {
	ctx := context.Background()
	store := memdriver.NewStore()
	client := open(store, nil)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	store.RemovePlace("report", hold.PlaceID()) // an operator deletes the entry
	_ = hold.Verify(ctx)                        // which the client would find by itself, a little later
	<-hold.Context().Done()
	fmt.Println(context.Cause(hold.Context()))
	// Output: lock lost: "report": removed
}

func ExampleLostError() {
	ctx := context.Background()
	store := memdriver.NewStore()
	client := open(store, nil)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	store.ExpireSession(store.Sessions()[0]) // an operator revokes the session
	err = hold.Release(ctx)
	if lost, ok := errors.AsType[*holdgate.LostError](err); ok {
		fmt.Println(lost.Name, "was lost:", lost.Reason)
	}
	fmt.Println(errors.Is(err, holdgate.ErrLost))
	// Output:
	// report was lost: session gone
	// true
}

func ExampleHold_Done() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	select {
	case <-hold.Done():
		fmt.Println("not held any more")
	default:
		fmt.Println("held", hold.Err())
	}
	// Output: held <nil>
}

func ExampleHold_Err() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hold.Err())
	fmt.Println(hold.Release(ctx))
	fmt.Println(hold.Err())
	// Output:
	// <nil>
	// <nil>
	// not held
}

// A release needs no context that lives: it is sent all the same.
func ExampleHold_Release() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := open(memdriver.NewStore(), nil)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	cancel()
	fmt.Println(hold.Release(ctx))
	fmt.Println(hold.Release(ctx))
	// Output:
	// <nil>
	// not held
}

// Every grant has a larger token than all before it. A resource that remembers the
// largest one can refuse a holder that was paused and does not know that it lost the
// lock.
func ExampleHold_Token() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	var largest holdgate.Token
	for range 2 {
		err := client.Do(ctx, "report", func(_ context.Context, h *holdgate.Hold) error {
			fmt.Println("larger:", h.Token() > largest)
			largest = h.Token()
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// larger: true
	// larger: true
}

func ExampleParseToken() {
	token, err := holdgate.ParseToken("9007199254740993") // as it comes in a header, or from JSON
	fmt.Println(token, err)
	_, err = holdgate.ParseToken("1e3")
	fmt.Println(err)
	// Output:
	// 9007199254740993 <nil>
	// a token is a decimal number up to 2^63-1, not "1e3"
}

func ExampleHold_TrustedUntil() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	left := time.Until(hold.TrustedUntil())
	fmt.Println("at least 13 s, if no renewal succeeds:", left > 13*time.Second)
	// Output: at least 13 s, if no renewal succeeds: true
}

func ExampleHold_Verify() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(hold.Verify(ctx)) // asks the store
	// Output: <nil>
}

func ExampleClient_Close() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(client.Close(ctx)) // gives back what is held
	fmt.Println(hold.Err())
	// Output:
	// <nil>
	// client closed
}
