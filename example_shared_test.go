package holdgate_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func ExampleRWMutex() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, nil), open(store, nil)
	catalog := one.RWMutex("catalog")

	first, err := catalog.RLock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	second, err := two.RWMutex("catalog").RLock(ctx) // shares it
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = catalog.TryLock(ctx)
	fmt.Println("write while others read:", errors.Is(err, holdgate.ErrBusy))
	first.Release(ctx)
	second.Release(ctx)
	write, err := catalog.TryLock(ctx)
	fmt.Println("write when they are done:", err)
	fmt.Println(write.Release(ctx))
	// Output:
	// write while others read: true
	// write when they are done: <nil>
	// <nil>
}

// Write, and go on reading what was written: no other writer gets in between.
func ExampleHold_Downgrade() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, nil), open(store, nil)
	hold, err := one.RWMutex("catalog").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer hold.Release(ctx)
	fmt.Println("writes")
	if err = hold.Downgrade(ctx); err != nil {
		fmt.Println(err)
		return
	}
	read, err := two.RWMutex("catalog").TryRLock(ctx)
	fmt.Println("another one reads too:", err)
	defer read.Release(ctx)
	_, err = two.RWMutex("catalog").TryLock(ctx)
	fmt.Println("nobody writes:", errors.Is(err, holdgate.ErrBusy))
	// Output:
	// writes
	// another one reads too: <nil>
	// nobody writes: true
}

func ExampleSemaphore() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, nil), open(store, nil)
	gpus := one.Semaphore("gpu", 4)
	hold, err := gpus.Acquire(ctx, 3) // three of the four, in one step
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = two.Semaphore("gpu", 4).TryAcquire(ctx, 2)
	fmt.Println("two more:", errors.Is(err, holdgate.ErrBusy))
	last, err := two.Semaphore("gpu", 4).TryAcquire(ctx, 1)
	fmt.Println("one more:", err)
	fmt.Println(hold.Release(ctx), last.Release(ctx))
	// Output:
	// two more: true
	// one more: <nil>
	// <nil> <nil>
}

// The number of permits belongs to the name.
func ExampleSemaphore_mismatch() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, nil), open(store, nil)
	if _, err := one.Semaphore("gpu", 4).Acquire(ctx, 1); err != nil {
		fmt.Println(err)
		return
	}
	_, err := two.Semaphore("gpu", 8).Acquire(ctx, 1)
	fmt.Println(errors.Is(err, holdgate.ErrMismatch))
	_, err = two.Semaphore("gpu", 4).Acquire(ctx, 5)
	fmt.Println(err)
	// Output:
	// true
	// invalid input: 1 to 4 permits of "gpu" can be acquired, not 5
}
