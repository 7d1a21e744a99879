package fence_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/fence"
)

// account is a resource in the memory of a process.
type account struct {
	gate    fence.Gate
	balance int
}

// deposit is called with the pass of whoever holds the account's lock, or did once.
func (a *account) deposit(ctx context.Context, p fence.Pass, amount int) error {
	return a.gate.Do(ctx, p, func(context.Context) error {
		a.balance += amount
		return nil
	})
}

// A holder is paused with its write on the way, and its lock goes to another. When it goes
// on, the resource has seen a larger token.
func Example() {
	ctx := context.Background()
	store := memdriver.NewStore()
	ann, _ := holdgate.New(store.Connect(nil), nil)
	bob, _ := holdgate.New(store.Connect(nil), nil)
	acct := new(account)

	hold, _ := ann.Mutex("accounts/7").Lock(ctx)
	late, err := fence.Of(hold) // ann is about to write, and is paused here
	if err != nil {
		fmt.Println(err)
		return
	}
	store.ExpireSession(store.Sessions()[0]) // nobody has heard from ann for a TTL

	hold, _ = bob.Mutex("accounts/7").Lock(ctx)
	now, _ := fence.Of(hold)
	fmt.Println("bob:", acct.deposit(ctx, now, 10))
	fmt.Println("bob again:", acct.deposit(ctx, now, 10))

	err = acct.deposit(ctx, late, 99) // ann goes on
	fmt.Println("ann is refused:", errors.Is(err, fence.ErrStale))
	fmt.Println("balance", acct.balance)
	// Output:
	// bob: <nil>
	// bob again: <nil>
	// ann is refused: true
	// balance 20
}

func ExampleGate_Check() {
	var gate fence.Gate // under the mutex that guards the data
	fmt.Println(gate.Check(fence.Pass{Name: "orders/42", Token: 7}))
	fmt.Println(gate.Check(fence.Pass{Name: "orders/42", Token: 8}))
	fmt.Println(gate.Check(fence.Pass{Name: "orders/42", Token: 7}))
	fmt.Println(gate.Check(fence.Pass{Name: "orders/42"}))
	// Output:
	// <nil>
	// <nil>
	// stale fencing token: 7 of "orders/42", the lock was granted again since, as 8
	// no fencing token: the token of "orders/42" is 0
}

// A gate of a service that sees ever new names is bounded.
func ExampleNewGate() {
	refused := 0
	gate, err := fence.NewGate(&fence.GateOptions{
		Names:    100_000,
		OnRefuse: func(*fence.StaleError) { refused++ },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = gate.Check(fence.Pass{Name: "orders/42", Token: 8})
	_ = gate.Check(fence.Pass{Name: "orders/42", Token: 7})
	fmt.Println(gate.Newest("orders/42"), refused)
	// Output: 8 1
}
