package etcddriver_test

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver/etcddriver"
)

// A holder that was paused is refused from the moment when its place is gone: its
// transactions do nothing. hold.Name and hold.PlaceID of a holdgate.Hold say which one it is.
func ExampleDriver_Stands() {
	ctx := context.Background()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"localhost:2379"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	drv, err := etcddriver.New(client, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer drv.Close()
	ship := func(name, placeID string) error {
		stands, err := drv.Stands(ctx, name, placeID)
		if err != nil {
			return err
		}
		// It may be paused here for as long as it likes.
		answer, err := client.Txn(ctx).If(stands).Then(clientv3.OpPut("order/42", "shipped")).Commit()
		if err == nil && !answer.Succeeded {
			err = fmt.Errorf("order 42: the lock %q was lost", name)
		}
		return err
	}
	_ = ship
}
