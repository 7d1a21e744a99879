package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/holdgate/holdgate"
)

// What a worker is told to do, one word a line.
const (
	doLock    = "lock"
	doWrite   = "write"
	doRelease = "release"
)

// deed is what a worker has done, in answer.
type deed struct {
	Did   string         `json:"did"`
	Token holdgate.Token `json:"token,omitempty"`
	Value string         `json:"value,omitempty"`
}

// Work is the life of a worker: it does what it reads until there is no more, and tells
// each thing that it has done.
func Work(ctx context.Context, m holdgate.Mutex, name string, in io.Reader, out io.Writer) error {
	var hold *holdgate.Hold
	tell := json.NewEncoder(out)
	for orders := bufio.NewScanner(in); orders.Scan(); {
		d := deed{Did: orders.Text()}
		switch d.Did {
		case doLock:
			var err error
			if hold, err = m.Lock(ctx); err != nil {
				return err
			}
			d.Token = hold.Token()
		case doWrite:
			d.Token, d.Value = hold.Token(), name+" was here"
		case doRelease:
			if err := hold.Release(ctx); err != nil {
				return err
			}
		default:
			return fmt.Errorf("a worker cannot %q", d.Did)
		}
		if err := tell.Encode(d); err != nil {
			return err
		}
	}
	return nil
}
