package examples_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/examples/orders/shipping"
	"github.com/holdgate/holdgate/test/sqlserver"
)

// wantParcels checks that each order was shipped, once, and returns by whom the first was.
func wantParcels(t *testing.T, db *sql.DB, orders int) (worker string) {
	t.Helper()
	var rows, different, pending int
	err := errors.Join(
		db.QueryRowContext(t.Context(), `SELECT count(*), count(DISTINCT order_id), coalesce(min(worker), '') FROM parcels`).
			Scan(&rows, &different, &worker),
		db.QueryRowContext(t.Context(), `SELECT count(*) FROM orders WHERE NOT shipped`).Scan(&pending),
	)
	if err != nil {
		t.Fatal(err)
	}
	if rows != orders || different != orders || pending != 0 {
		t.Errorf("%d parcels for %d different orders, %d pending; want one for each of %d", rows, different, pending, orders)
	}
	return worker
}

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestOrders is the program, several times at once.
func TestOrders(t *testing.T) {
	t.Parallel()
	const orders, workers = 30, 3
	url, program, locks := sqlserver.Postgres(t), build(t, "orders"), filepath.Join(t.TempDir(), "locks")
	var all []*process
	for i := range workers {
		all = append(all, start(t, program, "-db", url, "-dir", locks,
			"-name", "worker "+strconv.Itoa(i), "-new", strconv.Itoa(orders/workers), "-pack", "1ms"))
	}
	for _, p := range all {
		p.wantEnd("")
	}
	wantParcels(t, open(t, url), orders)
}

// TestAPausedWorkerShipsNothing is why the database looks at the token: a worker is paused
// while it packs, its lock goes to another, which ships the order, and then it goes on as if
// nothing had happened.
func TestAPausedWorkerShipsNothing(t *testing.T) {
	t.Parallel()
	db, store := open(t, sqlserver.Postgres(t)), memdriver.NewStore()
	orders, err := shipping.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if err = orders.Add(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	packing, goOn := make(chan struct{}), make(chan struct{})
	var said bytes.Buffer
	ann := worker(t, "ann", store, orders, &said, func(context.Context, int64) error { // it does not look at its context
		close(packing)
		<-goOn
		return nil
	})
	done := make(chan error, 1)
	go func() { done <- ann.Run(t.Context()) }()
	<-packing
	store.ExpireSession(store.Sessions()[0]) // nobody has heard from ann for a TTL

	bob := worker(t, "bob", store, orders, new(bytes.Buffer), func(context.Context, int64) error { return nil })
	if err = bob.Run(t.Context()); err != nil {
		t.Errorf("bob: %v", err)
	}
	close(goOn)
	if err = <-done; err != nil {
		t.Errorf("ann: %v", err)
	}
	if who := wantParcels(t, db, 1); who != "bob" {
		t.Errorf("the order was shipped by %q, want bob", who)
	}
	if !bytes.Contains(said.Bytes(), []byte("stale fencing token")) {
		t.Errorf("ann was not refused by the database:\n%s", &said)
	}
}

func worker(
	t *testing.T, name string, store *memdriver.Store, orders *shipping.Orders, said *bytes.Buffer, pack func(context.Context, int64) error,
) *shipping.Worker {
	t.Helper()
	client, err := holdgate.New(store.Connect(nil), &holdgate.Options{Owner: name, TTL: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(context.WithoutCancel(t.Context())) })
	return &shipping.Worker{Name: name, Locks: client, Orders: orders, Pack: pack, Log: slog.New(slog.NewTextHandler(said, nil))}
}
