//go:build unix

package filedriver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// Two sessions, which could be two processes, want the same line.
func ExampleOpen() {
	parent, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(parent) }()
	d, err := filedriver.Open(filepath.Join(parent, "locks"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = d.Close() }()

	ctx := context.Background()
	first, _ := d.Open(ctx, driver.SessionOptions{Owner: "first"})
	second, _ := d.Open(ctx, driver.SessionOptions{Owner: "second"})
	claim := driver.Claim{Line: "orders/42", ID: "00000000000000000000000000000001", Kind: driver.KindMutex, Capacity: 1, Units: 1}
	p, _ := first.Enter(ctx, claim)
	fmt.Println("first holds:", p.Granted)

	claim.ID, claim.Try = "00000000000000000000000000000002", true
	_, err = second.Enter(ctx, claim)
	fmt.Println("second:", err)

	_ = first.Leave(ctx, p.Line, p.ID)
	q, _ := second.Enter(ctx, claim)
	fmt.Println("second holds:", q.Granted, "with a greater order:", q.Order > p.Order)
	// Output:
	// first holds: true
	// second: "orders/42" is busy: held by "first", 1 in line
	// second holds: true with a greater order: true
}
