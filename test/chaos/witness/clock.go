package witness

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"
	"time"
)

// Clock tells between which moments a position came about.
type Clock struct {
	mu    sync.Mutex
	marks []mark
}

// mark is a request that told a position.
type mark struct {
	sent, answered time.Duration
	position       int64
}

// Saw notes a mark.
func (c *Clock) Saw(sent, answered time.Duration, position int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.marks = append(c.marks, mark{sent, answered, position})
}

// Silence is a time in which the store answered no mark.
type Silence struct{ From, To time.Duration }

// silence is what is worth noting: far longer than a mark takes, and than one that was sent
// to a server which is away.
const silence = 500 * time.Millisecond

// Silences are the times in which the store did not answer.
func (c *Clock) Silences() []Silence {
	c.mu.Lock()
	defer c.mu.Unlock()
	marks := slices.SortedFunc(slices.Values(c.marks), func(a, b mark) int { return cmp.Compare(a.sent, b.sent) })
	var silences []Silence
	for i := 1; i < len(marks); i++ {
		if from, to := marks[i-1].sent, marks[i].sent; to-from > silence {
			silences = append(silences, Silence{from, to})
		}
	}
	return silences
}

// bounds is a clock at rest.
type bounds struct {
	positions []int64         // in order
	sent      []time.Duration // by position: the last mark that was sent up to there
	answered  []time.Duration // by position: the first one that was answered from there on
}

func (c *Clock) bounds() bounds {
	c.mu.Lock()
	defer c.mu.Unlock()
	marks := slices.SortedFunc(slices.Values(c.marks), func(a, b mark) int { return cmp.Compare(a.position, b.position) })
	n := len(marks)
	b := bounds{make([]int64, n), make([]time.Duration, n), make([]time.Duration, n)}
	last, first := time.Duration(0), time.Duration(math.MaxInt64)
	for i, m := range marks {
		last = max(last, m.sent)
		b.positions[i], b.sent[i] = m.position, last
	}
	for i, m := range slices.Backward(marks) {
		first = min(first, m.answered)
		b.answered[i] = first
	}
	return b
}

// notBefore is a moment at which the position had certainly not come about.
func (b bounds) notBefore(position int64) time.Duration {
	if i := b.from(position); i > 0 {
		return b.sent[i-1]
	}
	return 1 // before everything else, but not "unknown"
}

// notAfter is a moment at which it certainly had.
func (b bounds) notAfter(position int64) time.Duration {
	if i := b.from(position); i < len(b.answered) {
		return b.answered[i]
	}
	return math.MaxInt64
}

// from is the first mark that told no smaller a position.
func (b bounds) from(position int64) int {
	return sort.Search(len(b.positions), func(i int) bool { return b.positions[i] >= position })
}
