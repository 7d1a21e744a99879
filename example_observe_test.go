package holdgate_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func ExampleClient_Features() {
	client := open(memdriver.NewStore(), nil)
	f := client.Features()
	fmt.Println(f.Store, "is", f.Safety, "and fair:", f.Fair)
	// Output: memory is linearizable and fair: true
}

func ExampleClient_Line() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), &holdgate.Options{Owner: "billing"})
	defer client.Close(ctx)
	if _, err := client.Mutex("report").Lock(ctx); err != nil {
		fmt.Println(err)
		return
	}
	line, err := client.Line(ctx, "report")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range line.Places {
		fmt.Println(line.Name, p.Owner, p.Granted)
	}
	// Output: report billing true
}

func ExampleClient_Lines() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	for _, name := range []string{"orders/2", "orders/1", "stock"} {
		if _, err := client.Mutex(name).Lock(ctx); err != nil {
			fmt.Println(err)
			return
		}
	}
	lines, err := client.Lines(ctx, "orders/")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range lines {
		fmt.Println(l.Name, len(l.Places))
	}
	// Output:
	// orders/1 1
	// orders/2 1
}

func ExampleClient_Watch() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for snapshot, err := range client.Watch(ctx, holdgate.Query{Name: "report"}) {
		if err != nil {
			fmt.Println(err) // watch again: the first snapshot is full
			return
		}
		fmt.Println("in line:", len(snapshot.Lines[0].Places))
		if !snapshot.Full {
			return
		}
		if err := hold.Release(ctx); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// in line: 1
	// in line: 0
}

// A holder is asked to go, learns of it by its next renewal, and leaves.
func ExampleClient_Evict() {
	ctx := context.Background()
	store := memdriver.NewStore()
	client := open(store, &holdgate.Options{TTL: holdgate.MinTTL})
	admin := open(store, &holdgate.Options{Owner: "ops"})
	hold, err := client.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	context.AfterFunc(hold.Context(), func() { _ = hold.Release(ctx) })
	err = admin.Evict(ctx, "report", hold.PlaceID(), holdgate.Eviction{Reason: "maintenance"})
	fmt.Println(err)
	fmt.Println(hold.Err())
	// Output:
	// <nil>
	// lock lost: "report": evicted by "ops": "maintenance"
}

// OnWait tells whom a Lock waits for.
func ExampleOptions_onWait() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one := open(store, &holdgate.Options{Owner: "billing"})
	hold, err := one.Mutex("report").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	two := open(store, &holdgate.Options{OnWait: func(w holdgate.Waiting) {
		fmt.Printf("waiting for %s behind %d, held by %s\n", w.Name, w.Ahead, w.Holder.Owner)
		if err := hold.Release(ctx); err != nil {
			fmt.Println(err)
		}
	}})
	defer two.Close(ctx)
	if _, err := two.Mutex("report").Lock(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("acquired")
	// Output:
	// waiting for report behind 1, held by billing
	// acquired
}

// OnEvent feeds metrics.
func ExampleOptions_onEvent() {
	ctx := context.Background()
	var acquired, released atomic.Int64
	client := open(memdriver.NewStore(), &holdgate.Options{OnEvent: func(e holdgate.Event) {
		switch e.Type {
		case holdgate.EventAcquired:
			acquired.Add(1)
		case holdgate.EventReleased:
			released.Add(1)
		}
	}})
	for range 3 {
		hold, err := client.Mutex("report").Lock(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = hold.Release(ctx)
	}
	fmt.Println(acquired.Load(), released.Load())
	// Output: 3 3
}

// The driver in memory lives by the clock of its caller, so that a test of one's own
// runs in a bubble of testing/synctest, where a TTL passes in no time.
func Example_testing() {
	ctx := context.Background()
	store := memdriver.NewStore()
	client := open(store, &holdgate.Options{TTL: 10 * time.Second})
	defer client.Close(ctx)
	if _, err := client.Mutex("report").Lock(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range store.Lines() {
		fmt.Println(l.Name, l.Places[0].TTL)
	}
	// Output: report 10s
}
