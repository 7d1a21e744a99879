package mutation

// RecipeMutants are mistakes in what is built on a lock: one for each way in which its holders
// are judged.
func RecipeMutants() []Mutant {
	return []Mutant{
		{"a writer that does not fill the lock", []Edit{{
			"rwmutex.go",
			"writer = driver.MaxCapacity",
			"writer = driver.MaxCapacity - 1",
		}}},
		{"a downgrade that gives everything up", []Edit{{
			"rwmutex.go",
			"at.Units = reader",
			"at.Units = reader - 1",
		}}},
		{"readers join for ever", []Edit{{
			"readers.go",
			"r.grants < bound.Grants && r.client.clock.Now()-r.first < bound.Time",
			"r.grants < 1<<seqBits-1 && bound.Grants > 0",
		}}},
		{"equal tokens of readers who share a place", []Edit{{
			"readers.go",
			"newHold(ctx, r.place, nil, r.grants)",
			"newHold(ctx, r.place, nil, 0)",
		}}},
		{"an election with two leaders", []Edit{{
			"election.go",
			"claim(e.name, driver.KindElection, 1, 1)",
			"claim(e.name, driver.KindElection, 2, 1)",
		}}},
		{"a place taken over for as much as it took before", []Edit{{
			"departure.go",
			"h.place.swap(claim)",
			"h.place.swap(h.place.claim)",
		}}},
		{"a barrier that is one party short", []Edit{{
			"barrier.go",
			"roundOf(line.Places, order, p.barrier.parties)",
			"roundOf(line.Places, order, max(1, p.barrier.parties-1))",
		}}},
		{"what was done while it was waited for is done again", []Edit{{
			"once.go",
			"if err == nil && o.At.IsZero() {",
			"if err == nil {",
		}}},
		{"the other names kept at a release", []Edit{{
			"lockall.go",
			"err = other.giveBackOne(ctx, gone)",
			"err = gone",
		}}},
	}
}
