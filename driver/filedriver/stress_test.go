//go:build unix

package filedriver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// TestExclusion has processes work under one lock, and kills some of them. Who holds
// locks a file, without waiting: the kernel is the witness that nobody else does.
// In the file is the order of the last holder, and orders must grow.
func TestExclusion(t *testing.T) {
	t.Parallel()
	const workers, victims, rounds = 5, 4, 100
	n := newNeighbour(t)
	witness := filepath.Join(t.TempDir(), "witness")
	if err := os.WriteFile(witness, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all []*child
	for range workers {
		all = append(all, startChild(t, "stress", n.dir, witness, strconv.Itoa(rounds)))
	}
	for i := range victims {
		victim := startChild(t, "stress", n.dir, witness, strconv.Itoa(1<<30))
		victim.expect(fmt.Sprint("round ", 10+7*i))
		victim.kill()
	}
	for _, c := range all {
		c.expect("done")
		c.end()
	}
	n.newcomer("orders")
	n.nothingLeft()
}

// playStress is one that works.
func playStress(a *actor) {
	a.open()
	witness, err := os.OpenFile(a.args[0], os.O_RDWR, 0)
	a.must(err)
	for i := range a.number(1) {
		a.say("round", i)
		p := a.enter(mutexClaim("orders"))
		if i%5 == 4 {
			a.giveUp(p)
			continue
		}
		p = a.waitSoon(p)
		a.must(testify(witness, p.Order))
		if i%3 == 2 {
			p, err = a.s.Swap(ctx(), p, mutexClaim("orders"))
			a.must(err)
			p = a.waitSoon(p)
			a.must(testify(witness, p.Order))
		}
		a.must(a.s.Leave(context.Background(), "orders", p.ID))
	}
	a.must(a.s.Close(context.Background()))
	a.must(a.d.Close())
	a.say("done")
}

// giveUp waits for a moment, and leaves.
func (a *actor) giveUp(p driver.Place) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Microsecond)
	defer cancel()
	if _, err := a.s.Wait(ctx, p); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		a.must(err)
	}
	a.must(a.s.Leave(context.Background(), "orders", p.ID))
}

// testify fails if somebody else holds, or if one who holds had a greater order.
func testify(witness *os.File, order uint64) error {
	alone, err := lockFile(witness, true)
	if err != nil {
		return err
	}
	if !alone {
		return errors.New("two hold")
	}
	defer func() { _ = unlockFile(witness) }()
	var last uint64
	if _, err := fmt.Fscan(io.NewSectionReader(witness, 0, 32), &last); err != nil {
		return err
	}
	if order <= last {
		return fmt.Errorf("order %d after %d", order, last)
	}
	_, err = witness.WriteAt(strconv.AppendUint(nil, order, 10), 0)
	return err
}
