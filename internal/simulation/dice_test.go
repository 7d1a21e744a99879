package simulation_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"
)

// simDice is a stream of decisions. Everybody in a simulation has one of their own,
// so that what one does more or less of does not change what another one decides.
type simDice struct{ *rand.Rand }

// newDice returns the stream of this name, of a seed.
func newDice(seed uint64, name string) simDice {
	return simDice{rand.New(rand.NewPCG(seed, hashOf(name)))}
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// chance is true with probability p.
func (d simDice) chance(p float64) bool { return p > 0 && d.Float64() < p }

// within returns a duration from low to high, to the nanosecond, so that hardly ever
// two things happen at once: the order in which they do is up to the seed.
func (d simDice) within(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low)+1))
}

// about returns a duration from low to high, as often short as long: each power of ten
// between them is as likely as another.
func (d simDice) about(low, high time.Duration) time.Duration {
	span := math.Log(float64(high) / float64(low))
	return time.Duration(float64(low) * math.Exp(d.Float64()*span))
}

// share returns 0 mostly when off, else a probability up to most.
func (d simDice) share(enabled, most float64) float64 {
	if !d.chance(enabled) {
		return 0
	}
	return d.Float64() * most
}
