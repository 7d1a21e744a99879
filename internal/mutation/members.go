package mutation

// MemberMutants are mistakes in how members come and go, and are seen.
func MemberMutants() []Mutant {
	return []Mutant{
		{"a member that comes back after it left", []Edit{{
			"membership/leave.go",
			"\tm.stop()\n",
			"",
		}, {
			"membership/leave.go",
			"\t<-m.kept // soon: all that the keeper waits for ends with its context\n",
			"",
		}}},
		{"a member that does not come back", []Edit{{
			"membership/keep.go",
			"err := endsWith(m.stay.Err())",
			"err := m.stay.Err()",
		}}},
		{"what was said while it was lost is forgotten", []Edit{{
			"membership/membership.go",
			"\tm.data = data\n",
			"\tif m.stay.Err() == nil {\n\t\tm.data = data\n\t}\n",
		}}},
		{"a list that stays stale", []Edit{{
			"membership/watch.go",
			"Stale: roll.Stale}",
			"Stale: roll.Stale || last.Stale}",
		}}},
	}
}
