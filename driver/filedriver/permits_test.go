//go:build unix

package filedriver

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestPermits has processes share a line of some capacity, with different units, and
// kills some. Nobody holds beyond the capacity, and nobody sleeps though he fits.
func TestPermits(t *testing.T) {
	t.Parallel()
	const workers, victims, rounds = 5, 4, 60
	n := newNeighbour(t)
	witnesses := t.TempDir()
	var all []*child
	for range workers {
		all = append(all, startChild(t, "permits", n.dir, witnesses, strconv.Itoa(rounds)))
	}
	for i := range victims {
		victim := startChild(t, "permits", n.dir, witnesses, strconv.Itoa(1<<30))
		victim.expect(fmt.Sprint("round ", 5+5*i))
		victim.kill()
	}
	for _, c := range all {
		c.expect("done")
		c.end()
	}
	n.newcomer("permits")
	n.nothingLeft()
}

const permitCapacity = 4

// playPermits is one who works with permits: he takes some, and gives a part back first.
func playPermits(a *actor) {
	a.open()
	for i := range a.number(1) {
		a.say("round", i)
		p := a.enter(permitsClaim("permits", permitCapacity, 1+rand.Int64N(permitCapacity)))
		p = a.waitSoon(p)
		release := a.testifyUnits(p.Units)
		if p.Units > 1 && i%2 == 0 {
			release()
			p.Units--
			p, err := a.s.Update(ctx(), p)
			a.must(err)
			release = a.testifyUnits(p.Units)
		}
		release()
		a.must(a.s.Leave(ctx(), p.Line, p.ID))
	}
	a.must(a.s.Close(ctx()))
	a.must(a.d.Close())
	a.say("done")
}

// testifyUnits locks a file of its own that tells how many units are held, and fails when
// all files that are locked at one moment tell of too many. A process that is killed does
// not hold its file.
func (a *actor) testifyUnits(units int64) (release func()) {
	f, err := os.CreateTemp(a.args[0], strconv.FormatInt(units, 10)+"-")
	a.must(err)
	_, err = lockFile(f, true)
	a.must(err)
	names, sum := a.lockedUnits()
	for sum > permitCapacity {
		again, sumAgain := a.lockedUnits()
		if slices.Equal(again, names) { // then all were locked in between
			a.must(fmt.Errorf("%d of %d units are held: %q", sum, permitCapacity, names))
		}
		names, sum = again, sumAgain
	}
	time.Sleep(rand.N(time.Millisecond)) // what is done with the permits
	return func() {
		a.must(os.Remove(f.Name()))
		a.must(f.Close())
	}
}

// lockedUnits returns the files that are locked, and the sum of what they tell.
func (a *actor) lockedUnits() (names []string, sum int64) {
	files, err := filepath.Glob(filepath.Join(a.args[0], "*"))
	a.must(err)
	for _, name := range files {
		f, err := os.Open(name)
		if os.IsNotExist(err) {
			continue
		}
		a.must(err)
		free, err := lockFile(f, false)
		a.must(err)
		_ = f.Close()
		if free {
			continue
		}
		var units int64
		_, err = fmt.Sscanf(filepath.Base(name), "%d-", &units)
		a.must(err)
		names = append(names, name)
		sum += units
	}
	return names, sum
}
