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
		{"an election with two leaders", []Edit{{
			"election.go",
			"claim(e.name, driver.KindElection, 1, 1)",
			"claim(e.name, driver.KindElection, 2, 1)",
		}}},
		{"the other names kept at a release", []Edit{{
			"lockall.go",
			"err = other.giveBackOne(ctx, gone)",
			"err = gone",
		}}},
	}
}
