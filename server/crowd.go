package server

import "time"

// crowd is how many stood in a line, over time. It keeps a bounded number of points: what is
// older gets coarser, until an hour and a half is covered, and then the oldest goes.
type crowd struct {
	points []point
	every  time.Duration // how far apart points are, at least
}

// point is how many there were from a moment on, until the next point.
type point struct {
	at               time.Time
	holding, waiting int32
	peak             int32 // the most that waited shortly after, if then they were fewer
	gap              bool  // nobody looked just before
}

const (
	keptPoints = 96
	finest     = time.Second
	coarsest   = time.Minute
)

func (c *crowd) add(now point) {
	if n := len(c.points); n > 0 {
		last := &c.points[n-1]
		if last.holding == now.holding && last.waiting == now.waiting && !now.gap {
			return
		}
		if now.at.Sub(last.at) < c.every {
			last.join(now)
			return
		}
	}
	if len(c.points) == keptPoints {
		c.thin()
	}
	c.points = append(c.points, now)
}

// join makes one point of two. A later one says how it was from then on.
func (p *point) join(later point) {
	p.holding, p.waiting = later.holding, later.waiting
	p.peak = max(p.peak, later.peak)
	p.gap = p.gap || later.gap
}

// thin makes room for a point.
func (c *crowd) thin() {
	if c.every = min(2*c.every, coarsest); c.every < coarsest {
		kept := c.points[:1]
		for _, p := range c.points[1:] {
			if last := &kept[len(kept)-1]; p.at.Sub(last.at) < c.every {
				last.join(p)
			} else {
				kept = append(kept, p)
			}
		}
		c.points = kept
	}
	if len(c.points) == keptPoints {
		c.points = append(c.points[:0], c.points[1:]...)
	}
}
