package drivertest

// CaseNames are the names of all cases, on whatever store they apply.
func CaseNames() []string {
	var names []string
	for _, c := range cases() {
		names = append(names, c.name)
	}
	return names
}
