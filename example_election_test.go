package holdgate_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func ExampleElection_Campaign() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	lead, err := client.Election("indexer").Campaign(ctx, "10.0.0.1:80")
	if err != nil {
		fmt.Println(err)
		return
	}
	leader, err := client.Election("indexer").Leader(ctx)
	fmt.Println(leader.Value, leader.Token == lead.Token(), err)
	fmt.Println(lead.Proclaim(ctx, "10.0.0.1:8080"))
	leader, err = client.Election("indexer").Leader(ctx)
	fmt.Println(leader.Value, err)
	fmt.Println(lead.Resign(ctx))
	leader, err = client.Election("indexer").Leader(ctx)
	fmt.Println("somebody leads:", leader.Granted, err)
	// Output:
	// 10.0.0.1:80 true <nil>
	// <nil>
	// 10.0.0.1:8080 <nil>
	// <nil>
	// somebody leads: false <nil>
}

// A service of which one process works and the others stand by.
func ExampleElection_Run() {
	client := open(memdriver.NewStore(), nil)
	defer client.Close(context.Background())
	ctx, stop := context.WithCancelCause(context.Background())
	done := errors.New("the service is shut down")
	err := client.Election("indexer").Run(ctx, "10.0.0.1:80", func(ctx context.Context, _ *holdgate.Leadership) error {
		fmt.Println("leads")
		stop(done) // from elsewhere, in real life
		<-ctx.Done()
		fmt.Println("stops")
		return nil // only now another one is granted leadership
	})
	fmt.Println(err)
	// Output:
	// leads
	// stops
	// the service is shut down
}

func ExampleElection_Observe() {
	ctx := context.Background()
	store := memdriver.NewStore()
	one, two := open(store, nil), open(store, nil)
	defer two.Close(ctx)
	for leader, err := range two.Election("indexer").Observe(ctx) {
		switch {
		case err != nil:
			fmt.Println(err)
			return
		case !leader.Granted:
			fmt.Println("nobody leads")
			if _, err = one.Election("indexer").Campaign(ctx, "10.0.0.1:80"); err != nil {
				fmt.Println(err)
			}
		default:
			fmt.Println(leader.Value, "leads")
			return
		}
	}
	// Output:
	// nobody leads
	// 10.0.0.1:80 leads
}

func ExampleElection_Participants() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	if _, err := client.Election("indexer").Campaign(ctx, "10.0.0.1:80"); err != nil {
		fmt.Println(err)
		return
	}
	all, err := client.Election("indexer").Participants(ctx)
	for _, p := range all {
		fmt.Println(p.Value, p.Granted)
	}
	fmt.Println(err)
	// Output:
	// 10.0.0.1:80 true
	// <nil>
}
