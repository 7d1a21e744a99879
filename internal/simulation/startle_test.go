package simulation_test

import "slices"

// Giving up at the very moment of a grant: both happen to the waiter at once, and it
// sees one of them first.

// begins notes that the call may be granted from now on.
func (c *simCall) begins() {
	p := c.proc
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waits = append(p.waits, c)
}

// ends notes that the call has returned.
func (c *simCall) ends() {
	p := c.proc
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waits = slices.DeleteFunc(p.waits, func(other *simCall) bool { return other == c })
}

// startle lets the next in line of this process give up, just before it would be
// passed the lock. The goroutine that waits runs only after that.
func (c *simCall) startle() {
	if !c.dice.chance(c.proc.world.plan.habits.startle) {
		return
	}
	p := c.proc
	p.mu.Lock()
	i := slices.IndexFunc(p.waits, func(other *simCall) bool { return other.name == c.name })
	var next *simCall
	if i >= 0 {
		next = p.waits[i]
	}
	p.mu.Unlock()
	if next != nil {
		p.count("gave up at the grant")
		next.giveUp()
	}
}
