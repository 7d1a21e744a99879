package grpcfence_test

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/grpcfence"
)

// The server refuses older tokens, and the client sends that of the hold in the context.
func Example() {
	o := &grpcfence.Options{Gate: new(fence.Gate)}
	server := grpc.NewServer(
		grpc.ChainUnaryInterceptor(grpcfence.UnaryServer(o)),
		grpc.ChainStreamInterceptor(grpcfence.StreamServer(o)),
	)
	defer server.Stop()
	conn, err := grpc.NewClient("localhost:50051",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithChainUnaryInterceptor(grpcfence.UnaryClient),
		grpc.WithChainStreamInterceptor(grpcfence.StreamClient),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	// ctx := fence.WithHold(ctx, hold), for each call
}

// A holder is paused with its call on the way; meanwhile its lock went to another, whose
// call came first.
func ExampleUnaryServer() {
	ctx := context.Background()
	store := memdriver.NewStore()
	ann, _ := holdgate.New(store.Connect(nil), nil)
	bob, _ := holdgate.New(store.Connect(nil), nil)
	write := grpcfence.UnaryServer(&grpcfence.Options{Gate: new(fence.Gate)})
	send := func(p fence.Pass) error {
		_, err := write(received(ctx, p), "row", &grpc.UnaryServerInfo{FullMethod: "/orders.Orders/Write"},
			func(context.Context, any) (any, error) { return "written", nil })
		return err
	}

	hold, _ := ann.Mutex("orders/42").Lock(ctx)
	late, _ := fence.Of(hold)                // ann's call is on its way, and slow
	store.ExpireSession(store.Sessions()[0]) // nobody has heard from ann for a TTL
	hold, _ = bob.Mutex("orders/42").Lock(ctx)
	now, _ := fence.Of(hold)
	fmt.Println("bob:", send(now))
	fmt.Println("ann is refused:", grpcfence.Refused(send(late)) != nil)
	// Output:
	// bob: <nil>
	// ann is refused: true
}
