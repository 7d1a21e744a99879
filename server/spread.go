package server

import (
	"math"
	"time"
)

// spread counts durations in buckets, each a quarter of a doubling wide: so a quantile is at
// most 19% too high, whatever it is, and a line needs a few hundred bytes for it.
type spread struct {
	total  uint32
	counts []uint32 // as many as there had to be
}

const (
	perDoubling = 4
	maxBucket   = 31 * perDoubling // 24 days
)

func bucketOf(d time.Duration) int {
	ms := float64(d) / float64(time.Millisecond)
	if ms <= 1 {
		return 0
	}
	return min(int(math.Ceil(perDoubling*math.Log2(ms))), maxBucket)
}

// upTo is the longest duration in a bucket.
func upTo(bucket int) time.Duration {
	return time.Duration(math.Exp2(float64(bucket)/perDoubling) * float64(time.Millisecond))
}

func (s *spread) add(d time.Duration) {
	b := bucketOf(d)
	for len(s.counts) <= b {
		s.counts = append(s.counts, 0)
	}
	s.counts[b]++
	s.total++
}

// quantile returns a duration that the part q of all did not exceed; false when there are none.
func (s *spread) quantile(q float64) (time.Duration, bool) {
	if s.total == 0 {
		return 0, false
	}
	rank := uint32(math.Ceil(q * float64(s.total)))
	var seen uint32
	for b, n := range s.counts {
		if seen += n; seen >= max(rank, 1) {
			return upTo(b), true
		}
	}
	return upTo(len(s.counts) - 1), true
}
