package interop_test

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// pairing is a lock of ours and one of other software that are the same.
type pairing struct {
	// other is a process of the other software, for the lock that is ours by this name.
	other *exec.Cmd
	lock  string
	drv   driver.Driver
}

// check shows that the two exclude each other.
func (p pairing) check(t *testing.T) {
	t.Helper()
	client, err := holdgate.New(p.drv, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(t.Context()); _ = p.drv.Close() })
	s := &sides{client: client, mutex: client.Mutex(p.lock), other: startPeer(t, p.other)}
	s.theyHold(t)
	s.weHold(t)
	s.bothCount(t)
	s.nobodyLocks(t)
}

// sides are the two, ready.
type sides struct {
	client *holdgate.Client
	mutex  holdgate.Mutex
	other  *peer
}

func (s *sides) queue() bool { return s.client.Features().Layout == driver.LayoutQueue }

// bounded is for what has to come.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// theyHold: a try of ours is busy, a wait of ours goes on until they release, and then has
// the lock.
func (s *sides) theyHold(t *testing.T) {
	t.Helper()
	s.other.order(t, "lock")
	s.other.answersWith(t, "locked")
	_, err := s.mutex.TryLock(bounded(t))
	var busy *holdgate.BusyError
	if !errors.As(err, &busy) || !busy.Holder.Foreign {
		t.Fatalf("a try while they hold: got the error %v, want that other software holds", err)
	}
	ctx, granted := bounded(t), make(chan error, 1)
	// Ends with the lock, or with the test.
	go func() { granted <- takeOnce(ctx, s.mutex) }()
	s.awaitPlaces(t, 2)
	select {
	case err := <-granted:
		t.Fatalf("our wait was over while they held: error %v", err)
	default:
	}
	s.other.order(t, "unlock")
	s.other.answersWith(t, "unlocked")
	if err := <-granted; err != nil {
		t.Fatalf("after they had released: %v", err)
	}
}

// takeOnce takes the lock, asks the store whether that is so, and releases it.
func takeOnce(ctx context.Context, m holdgate.Mutex) error {
	hold, err := m.Lock(ctx)
	if err != nil {
		return err
	}
	if err := hold.Verify(ctx); err != nil {
		return err
	}
	return hold.Release(ctx)
}

// weHold: they wait until we release.
func (s *sides) weHold(t *testing.T) {
	t.Helper()
	hold, err := s.mutex.Lock(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	s.other.order(t, "lock")
	s.awaitPlaces(t, 2)
	if err := hold.Verify(bounded(t)); err != nil {
		t.Error(err)
	}
	if !s.other.silent() {
		t.Fatal("they have the lock that we hold")
	}
	if err := hold.Release(bounded(t)); err != nil {
		t.Fatal(err)
	}
	s.other.answersWith(t, "locked")
	s.other.order(t, "unlock")
	s.other.answersWith(t, "unlocked")
}

// awaitPlaces waits until so many stand in line. Where there is no line, who waits is not
// to be seen: then for a moment, in which a lock that excludes nobody would be taken.
func (s *sides) awaitPlaces(t *testing.T, n int) {
	t.Helper()
	if !s.queue() {
		time.Sleep(50 * time.Millisecond)
		return
	}
	for snapshot, err := range s.client.Watch(bounded(t), holdgate.Query{Name: s.mutex.Name()}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(snapshot.Lines) == 1 && len(snapshot.Lines[0].Places) == n {
			return
		}
	}
}

// For so long each side leaves the lock alone after each step: where there is no order,
// nobody's turn comes while another takes the lock again at once. We have two goroutines,
// and go on for as long as it takes the others.
const (
	ourRest   = 20 * time.Millisecond
	theirRest = 5 * time.Millisecond
)

// bothCount: both take the lock over and over, and no step is lost.
func (s *sides) bothCount(t *testing.T) {
	t.Helper()
	ctx := bounded(t)
	began := time.Now()
	// Of two goroutines one may hand the lock to the other.
	c, got := s.contest(t, "count", 2, func(c *contest) error {
		err := c.stepLocked(ctx, s.mutex)
		time.Sleep(ourRest)
		return err
	})
	if want := c.steps + rounds; got != want {
		t.Errorf("under the lock %d steps of ours and %d of theirs counted to %d", c.steps, rounds, got)
	}
	if c.turns < rounds/20 {
		t.Errorf("they came between ours only %d times in %d steps: that was no contest", c.turns, rounds)
	}
	t.Logf("%d steps of ours and %d of theirs in %v, %d times theirs between ours", c.steps, rounds, time.Since(began), c.turns)
}

// nobodyLocks is the control: the same without the lock loses steps.
func (s *sides) nobodyLocks(t *testing.T) {
	t.Helper()
	c, got := s.contest(t, "race", 1, (*contest).step)
	if want := c.steps + rounds; got == want {
		t.Errorf("%d steps without the lock counted to %d all the same: the counter shows nothing", want, got)
	}
}

// contest has both sides step at the same time.
func (s *sides) contest(t *testing.T, order string, goroutines int, step func(*contest) error) (c *contest, counted int) {
	t.Helper()
	c = &contest{counter: newCounter(t)}
	over, done := make(chan struct{}), make(chan struct{})
	// Ends when the other software is done, or by the first error of ours.
	go func() { defer close(done); c.run(goroutines, over, func() error { return step(c) }) }()
	s.other.order(t, "%s %d %s", order, rounds, c.counter)
	s.other.answersWith(t, "counted")
	close(over)
	<-done
	if c.err != nil {
		t.Fatal(c.err)
	}
	counted, err := c.counter.read()
	if err != nil {
		t.Fatal(err)
	}
	return c, counted
}
