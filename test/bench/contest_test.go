package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// contest is several processes whose goroutines want one lock for some time, and hold it for
// a while each time.
type contest struct {
	peers   []*peer
	witness witness
	hold    time.Duration
}

// bout is what came of that with one product.
type bout struct {
	rate  float64       // holds in a second
	worst time.Duration // the longest that anybody waited
	jain  float64       // 1: each process had the lock as often as the others
}

// contestOrder tells a process to contend for some time.
type contestOrder struct {
	Product   string
	For, Hold time.Duration
}

// contestReport is how that went for a process.
type contestReport struct {
	Holds int
	Worst time.Duration
	Error string
}

// startContest starts so many processes with so many goroutines each.
func startContest(b *testing.B, endpoint string, processes, goroutines int, hold time.Duration, products ...string) *contest {
	b.Helper()
	file := filepath.Join(b.TempDir(), "witness")
	w, err := openWitness(file)
	if err != nil {
		b.Fatal(err)
	}
	c := &contest{witness: w, hold: hold}
	for i := range processes {
		c.peers = append(c.peers, startPeer(b, "contend", workerTask{
			Seat: seat{Endpoint: endpoint, Index: i, Of: processes}, Goroutines: goroutines,
			Products: products, Witness: file,
		}))
	}
	for _, p := range c.peers {
		var ready string
		if err := p.hear(&ready); err != nil {
			b.Fatalf("a process did not get ready: %v", err)
		}
	}
	return c
}

// bout has all contend for some time. It fails when two had the lock at once.
func (c *contest) bout(b *testing.B, product string, length time.Duration) bout {
	b.Helper()
	before := c.witness.passed()
	for _, p := range c.peers {
		if err := p.say(contestOrder{product, length, c.hold}); err != nil {
			b.Fatal(err)
		}
	}
	var all bout
	var holds []float64
	for _, p := range c.peers {
		var r contestReport
		if err := p.hear(&r); err != nil {
			b.Fatalf("%s: a process did not report: %v", product, err)
		}
		if r.Error != "" {
			b.Fatalf("%s: %s", product, r.Error)
		}
		holds = append(holds, float64(r.Holds))
		all.worst = max(all.worst, r.Worst)
	}
	sum := total(holds)
	if counted := c.witness.passed() - before; float64(counted) != sum {
		b.Fatalf("%s does not exclude: %v holds, of which %d counted", product, sum, counted)
	}
	all.rate, all.jain = sum/length.Seconds(), jain(holds)
	return all
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
	reports := make([]contestReport, len(lockers))
	end := time.Now().Add(order.For)
	var all sync.WaitGroup
	for i, l := range lockers {
		all.Go(func() { // ends with its time
			for reports[i].Error == "" && time.Now().Before(end) {
				reports[i].add(w.hold(ctx, l, order.Hold))
			}
		})
	}
	all.Wait()
	var sum contestReport
	for _, r := range reports {
		sum.Holds += r.Holds
		sum.Worst = max(sum.Worst, r.Worst)
		if sum.Error == "" {
			sum.Error = r.Error
		}
	}
	return sum
}

func (r *contestReport) add(waited time.Duration, err error) {
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.Holds++
	r.Worst = max(r.Worst, waited)
}

// hold takes the lock once, counts while it holds it, and returns how long it waited.
func (w *worker) hold(ctx context.Context, l locker, length time.Duration) (time.Duration, error) {
	begun := time.Now()
	if err := l.lock(ctx); err != nil {
		return 0, err
	}
	waited := time.Since(begun)
	w.witness.hold(length)
	return waited, l.unlock(ctx)
}
