package membership_test

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/membership"
)

func Example() {
	ctx := context.Background()
	drv := memdriver.New() // in a program: etcddriver, zkdriver, redisdriver, filedriver
	defer drv.Close()
	client, err := holdgate.New(drv, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close(ctx)

	group := membership.Of(client, "workers")
	me, err := group.Join(ctx, "worker-7", "starting")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer me.Leave(ctx)
	if err = me.Update(ctx, "ready"); err != nil {
		fmt.Println(err)
		return
	}
	members, err := group.Members(ctx)
	for _, m := range members {
		fmt.Println(m.ID, m.Data)
	}
	fmt.Println(err)
	// Output:
	// worker-7 ready
	// <nil>
}

// Another process comes and goes.
func ExampleGroup_Events() {
	ctx := context.Background()
	store := memdriver.NewStore()
	client, _ := holdgate.New(store.Connect(nil), nil)
	defer client.Close(ctx)
	group := membership.Of(client, "workers")
	other, err := group.Join(ctx, "worker-1", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range group.Events(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Type, e.Member.ID)
		if e.Type == membership.Left {
			break
		}
		if err = other.Leave(ctx); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// joined worker-1
	// left worker-1
}

// Each member works on its part of what there is to do. The lists of two members may differ
// for a moment: so who works on a part has its lock.
func ExampleGroup_Watch() {
	ctx := context.Background()
	store := memdriver.NewStore()
	client, _ := holdgate.New(store.Connect(nil), nil)
	defer client.Close(ctx)
	group := membership.Of(client, "workers")
	for _, id := range []string{"a", "b"} {
		m, err := group.Join(ctx, id, "")
		if err != nil {
			fmt.Println(err)
			return
		}
		defer m.Leave(ctx)
	}
	for s, err := range group.Watch(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if s.Stale {
			continue // the parts stay as they are
		}
		for part := range 4 {
			owner := s.Members[part%len(s.Members)]
			fmt.Println("part", part, "is for", owner.ID)
		}
		break
	}
	// Output:
	// part 0 is for a
	// part 1 is for b
	// part 2 is for a
	// part 3 is for b
}
