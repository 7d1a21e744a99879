package fence_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/sqlfence"
)

// A holder is paused before its transaction; meanwhile its lock goes to another, who commits.
func Example() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	fences, err := sqlfence.New(sqlfence.SQLite, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, schema := range []string{fences.Schema(), `CREATE TABLE log (who TEXT)`} {
		if _, err = db.ExecContext(ctx, schema); err != nil {
			fmt.Println(err)
			return
		}
	}
	write := func(p fence.Pass, who string) error {
		tx, err := fences.Begin(ctx, db, nil, p)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // if it is not committed
		if _, err = tx.ExecContext(ctx, `INSERT INTO log (who) VALUES (?)`, who); err != nil {
			return err
		}
		return tx.Commit()
	}

	store := memdriver.NewStore()
	ann, _ := holdgate.New(store.Connect(nil), nil)
	bob, _ := holdgate.New(store.Connect(nil), nil)
	hold, _ := ann.Mutex("log").Lock(ctx)
	late, _ := fence.Of(hold)                // ann is paused here
	store.ExpireSession(store.Sessions()[0]) // nobody has heard from ann for a TTL
	hold, _ = bob.Mutex("log").Lock(ctx)
	now, _ := fence.Of(hold)
	fmt.Println("bob:", write(now, "bob"))
	fmt.Println("ann is refused:", errors.Is(write(late, "ann"), fence.ErrStale))
	// Output:
	// bob: <nil>
	// ann is refused: true
}
