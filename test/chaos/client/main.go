// Command client is one process of a chaos run: some goroutines that take locks, write to
// what they protect, and give them back, until they are told to finish. It writes down
// what they see. It knows nothing of the faults.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "chaos client:", err)
		os.Exit(1)
	}
}

// run works until the run is over.
func run(orders io.Reader) error {
	p, err := begin(orders)
	if err != nil {
		return err
	}
	return p.work()
}
