package mutation

import "testing"

// ExploreMutants are mistakes in the local line that a search of every order of steps must find.
func ExploreMutants(tb testing.TB) []Mutant {
	tb.Helper()
	mutants := []Mutant{
		{"who waits while a place is left is forgotten", []Edit{{
			"localline.go",
			"\t\tl.state = lineIdle\n\t\treturn\n\t}\n\tl.driveLocked()\n",
			"\t\tl.state = lineIdle\n\t\treturn\n\t}\n",
		}}},
		{"who waits on a session that is lost is sent away", []Edit{{
			"drive.go",
			"case errors.Is(err, errPassed), errors.Is(err, errSessionOver):",
			"case errors.Is(err, errPassed):",
		}}},
	}
	for _, name := range []string{
		"holders not told of the end of the session",
		"equal tokens on local hand-off",
		"no bound on the number of hand-offs",
		"the place does not go to the end of the line",
		"a stale release without the ID",
	} {
		mutants = append(mutants, Mutant{name, Named(tb, name)})
	}
	return mutants
}

// LingerMutants are mistakes with a place that is kept, of which schedules are too rare that show
// them: a session has to end just when a place of it is kept, and wanted again.
func LingerMutants() []Mutant {
	return []Mutant{
		{"a place that was kept is granted though its session is lost", []Edit{{
			"localline.go",
			"l.place == p && (l.state == lineHeld || l.state == lineKept)",
			"l.place == p && l.state == lineHeld",
		}, {
			"ownplace.go",
			"\tcase !s.trusted():\n\t\treturn errSessionOver\n\tcase s.places[p.claim.ID] != p:\n\t\treturn errRemoved\n",
			"",
		}, {
			"hold.go",
			"if s := h.place.session; !s.believed() {",
			"if s := h.place.session; !s.believed() && false {",
		}}},
	}
}

// ReaderMutants are mistakes with a place that readers share, as rare: a session has to end within
// the few milliseconds in which the place may be joined.
func ReaderMutants() []Mutant {
	return []Mutant{
		{"readers join the place of a lost session", []Edit{{
			"ownplace.go",
			"\tif err := p.mayGrantLocked(h); err != nil {\n\t\treturn err\n\t}\n\tp.holders.add(h)\n",
			"\tp.holders.add(h)\n",
		}, {
			"readers.go",
			"\tif r.place == p {\n\t\tr.closeLocked()\n\t}\n}\n\n// closeLocked",
			"\t_ = p\n}\n\n// closeLocked",
		}, {
			"hold.go",
			"if s := h.place.session; !s.believed() {",
			"if s := h.place.session; !s.believed() && false {",
		}}},
	}
}
