package redisfence_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/redisfence"
)

// Commands are carried out together, and only for a holder that is not too late.
func ExampleFences_TxPipelined() {
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	defer client.Close()
	fences, err := redisfence.New(client, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	pay := func(p fence.Pass, by string) error {
		_, err := fences.TxPipelined(ctx, p, func(pipe redis.Pipeliner) error {
			return pipe.HSet(ctx, "order:42", "paid_by", by).Err()
		})
		return err
	}
	late := fence.Pass{Name: "orders/42", Token: 7} // of a holder that is paused here
	fmt.Println(pay(fence.Pass{Name: "orders/42", Token: 8}, "bob"))
	fmt.Println(errors.Is(pay(late, "ann"), fence.ErrStale)) // and goes on: true
}

// A script keeps its KEYS and ARGV.
func ExampleNewScript() {
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	defer client.Close()
	fences, err := redisfence.New(client, &redisfence.Options{
		// In a cluster the token lies where the data does.
		Key: func(name string) string { return "{" + name + "}:fence" },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	take := redisfence.NewScript(`return redis.call('HINCRBY', KEYS[1], 'stock', -ARGV[1])`)
	left, err := fences.Run(ctx, fence.Pass{Name: "orders/42", Token: 8}, take, []string{"{orders/42}:data"}, 3)
	fmt.Println(left, err)
}
