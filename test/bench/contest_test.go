package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// contest is several processes whose goroutines want one lock for some time, and hold it for
// a while each time.
type contest struct {
	store   store
	peers   []*peer
	witness witness
	hold    time.Duration
}

// contestOrder tells a process to contend for some time.
type contestOrder struct {
	Product   string
	For, Hold time.Duration
}

// contestReport is how that went for a process.
type contestReport struct {
	Waits []float64 // in nanoseconds
	// Passed is the longest time in which none of its goroutines got the lock.
	Passed time.Duration
	Used   ownUse
	Error  string
}

// startContest starts so many processes with so many goroutines each.
func startContest(b *testing.B, s store, processes, goroutines int, hold time.Duration, products ...string) *contest {
	b.Helper()
	file := filepath.Join(b.TempDir(), "witness")
	w, err := openWitness(file)
	if err != nil {
		b.Fatal(err)
	}
	return &contest{s, startWorkers(b, "contend", s, processes, goroutines, file, products), w, hold}
}

// bout has all contend for some time, and puts down what came of it. It fails when two had
// the lock at once.
func (c *contest) bout(b *testing.B, to accounts, product string, length time.Duration) {
	b.Helper()
	before := c.witness.passed()
	reports := make([]contestReport, len(c.peers))
	spent := c.store.costOfOthers(b, func() {
		for _, p := range c.peers {
			if err := p.say(contestOrder{product, length, c.hold}); err != nil {
				b.Fatal(err)
			}
		}
		for i, p := range c.peers {
			if err := p.hear(&reports[i]); err != nil {
				b.Fatalf("%s: a process did not report: %v", product, err)
			}
		}
	})
	a, waits := to.of(product), []float64(nil)
	var holds []float64
	for _, r := range reports {
		if r.Error != "" {
			b.Fatalf("%s: %s", product, r.Error)
		}
		holds = append(holds, float64(len(r.Waits)))
		waits = append(waits, r.Waits...)
		a.largest("passed-ns", float64(r.Passed))
		spent.clients, spent.mallocs = spent.clients+r.Used.CPU, spent.mallocs+r.Used.Mallocs
	}
	if counted := c.witness.passed() - before; counted != uint64(len(waits)) {
		b.Fatalf("%s does not exclude: %d holds, of which %d counted", product, len(waits), counted)
	}
	a.round("rate", float64(len(waits))/length.Seconds())
	a.round("jain", jain(holds))
	a.round("round-worst-ns", slices.Max(waits))
	a.largest("worst-ns", slices.Max(waits))
	a.sample("wait", waits...)
	a.bill(spent, len(waits))
}

func total(numbers []float64) (sum float64) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// jain is Jain's index of fairness (Jain, Chiu, Hawe 1984): 1 when all have the same, and
// 1/n when one has all.
func jain(shares []float64) float64 {
	var squares float64
	for _, s := range shares {
		squares += s * s
	}
	sum := total(shares)
	return sum * sum / (float64(len(shares)) * squares)
}

func TestJain(t *testing.T) {
	t.Parallel()
	for want, shares := range map[float64][]float64{1: {3, 3, 3, 3}, 0.25: {0, 7, 0, 0}, 0.5: {1, 1, 0, 0}} {
		if got := jain(shares); got != want {
			t.Errorf("jain(%v): got %v, want %v", shares, got, want)
		}
	}
}

// contend opens all products, says so, and follows orders until there are no more.
func contend(task []byte, talk conversation) error {
	var t workerTask
	if err := json.Unmarshal(task, &t); err != nil {
		return err
	}
	w, err := newWorker(context.Background(), t)
	if err != nil {
		return err
	}
	if err := talk.say("ready"); err != nil {
		return err
	}
	for {
		var order contestOrder
		switch err := talk.hear(&order); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := talk.say(w.contend(context.Background(), order)); err != nil {
			return err
		}
	}
}

// contend has all goroutines want the lock until the time is up. Those that wait then wait
// on until they have had it.
func (w *worker) contend(ctx context.Context, order contestOrder) contestReport {
	lockers := w.lockers[order.Product]
	holds := make([][]held, len(lockers))
	errs := make([]error, len(lockers))
	before, end := readOwnUse(), time.Now().Add(order.For)
	var all sync.WaitGroup
	for i, l := range lockers {
		all.Go(func() { // ends with its time
			for errs[i] == nil && time.Now().Before(end) {
				var h held
				if h, errs[i] = w.hold(ctx, l, order.Hold); errs[i] == nil {
					holds[i] = append(holds[i], h)
				}
			}
		})
	}
	all.Wait()
	r := contestReport{Used: readOwnUse().since(before)}
	if err := errors.Join(errs...); err != nil {
		r.Error = err.Error()
	}
	everybody := slices.Concat(holds...)
	slices.SortFunc(everybody, func(a, b held) int { return a.at.Compare(b.at) })
	for i, h := range everybody {
		r.Waits = append(r.Waits, float64(h.waited))
		if i > 0 && h.at.Before(end) {
			r.Passed = max(r.Passed, h.at.Sub(everybody[i-1].at))
		}
	}
	return r
}

// held is one time that a goroutine had the lock.
type held struct {
	at     time.Time
	waited time.Duration
}

// hold takes the lock once, and counts while it holds it.
func (w *worker) hold(ctx context.Context, l locker, length time.Duration) (held, error) {
	begun := time.Now()
	if err := l.lock(ctx); err != nil {
		return held{}, err
	}
	had := time.Now()
	w.witness.hold(length)
	return held{had, had.Sub(begun)}, l.unlock(ctx)
}
