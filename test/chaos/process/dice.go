package process

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

// Dice is a stream of decisions. Everybody has one of their own, so that what one does
// more or less of does not change what another one decides.
type Dice struct{ *rand.Rand }

// NewDice returns the stream of this name, of a seed.
func NewDice(seed uint64, name string) Dice {
	h := fnv.New64a()
	h.Write([]byte(name))
	return Dice{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// Chance is true with probability p.
func (d Dice) Chance(p float64) bool { return d.Float64() < p }

// Within returns a duration from low to high.
func (d Dice) Within(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low)+1))
}

// About returns a duration from low to high: each power of ten between them is as
// likely as another.
func (d Dice) About(low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return time.Duration(float64(low) * math.Exp(d.Float64()*math.Log(float64(high)/float64(low))))
}
