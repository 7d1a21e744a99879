package discovery_test

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/discovery"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// One process serves, and another one finds it.
func Example() {
	ctx := context.Background()
	store := memdriver.NewStore() // in a program: a driver of a store that all machines reach
	server, _ := holdgate.New(store.Connect(nil), nil)
	defer server.Close(ctx)
	r, err := discovery.Register(ctx, server, "orders", discovery.Instance{
		ID: "orders-7", Addr: "10.0.0.7:9000", Metadata: map[string]string{"version": "1.4"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close(ctx)

	caller, _ := holdgate.New(store.Connect(nil), nil)
	defer caller.Close(ctx)
	instances, err := discovery.Lookup(ctx, caller, "orders")
	for _, in := range instances {
		fmt.Println(in.ID, in.Addr, in.Metadata["version"])
	}
	fmt.Println(err)
	// Output:
	// orders-7 10.0.0.7:9000 1.4
	// <nil>
}

// What a load balancer is fed with.
func ExampleWatch() {
	ctx := context.Background()
	client, _ := holdgate.New(memdriver.New(), nil)
	defer client.Close(ctx)
	r, err := discovery.Register(ctx, client, "orders", discovery.Instance{ID: "orders-7", Addr: "10.0.0.7:9000"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for s, err := range discovery.Watch(ctx, client, "orders") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Revision, s.Addresses())
		switch s.Revision {
		case 1: // the server gets busy, and says so
			in := r.Instance()
			in.Weight = 10
			err = r.Update(ctx, in)
		case 2:
			err = r.Close(ctx)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		if s.Revision == 3 {
			break
		}
	}
	// Output:
	// 1 [{10.0.0.7:9000 1}]
	// 2 [{10.0.0.7:9000 10}]
	// 3 []
}
