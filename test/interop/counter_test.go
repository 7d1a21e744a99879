package interop_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// counter is a file with a number. To step it takes several parts, so that two who do so at
// once lose a step.
type counter string

func newCounter(t *testing.T) counter {
	t.Helper()
	c := counter(filepath.Join(t.TempDir(), "counter"))
	if err := os.WriteFile(string(c), []byte("0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c counter) read() (int, error) {
	text, err := os.ReadFile(string(c))
	if err != nil {
		return 0, err
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text))) // one that is spoilt may be empty
	return n, nil
}

// step makes one step, and returns the number before it.
func (c counter) step() (int, error) {
	n, err := c.read()
	if err != nil {
		return 0, err
	}
	time.Sleep(time.Millisecond) // for somebody to come between
	return n, os.WriteFile(string(c), []byte(strconv.Itoa(n+1)+"\n"), 0o600)
}

// rounds is how many steps each side makes at least.
const rounds = 200

// contest is what we have done to a counter while others did so, too.
type contest struct {
	counter counter

	mu    sync.Mutex
	steps int // of ours
	last  int // the number after the last of them
	turns int // how often another had stepped since
	err   error
}

func (c *contest) enough(over <-chan struct{}) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-over:
		return c.err != nil || c.steps >= rounds
	default:
		return c.err != nil
	}
}

// run has some goroutines step until the others are done and there were enough steps.
func (c *contest) run(goroutines int, over <-chan struct{}, step func() error) {
	var workers sync.WaitGroup
	for range goroutines {
		workers.Go(func() {
			for !c.enough(over) {
				if err := step(); err != nil {
					c.fail(err)
				}
			}
		})
	}
	workers.Wait()
}

func (c *contest) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// step makes a step of ours, and notes it.
func (c *contest) step() error {
	before, err := c.counter.step()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if before != c.last {
		c.turns++
	}
	c.steps, c.last = c.steps+1, before+1
	return nil
}

// stepLocked makes one under the lock.
func (c *contest) stepLocked(ctx context.Context, m holdgate.Mutex) error {
	hold, err := m.Lock(ctx)
	if err != nil {
		return err
	}
	if err := c.step(); err != nil {
		return err
	}
	return hold.Release(ctx)
}
