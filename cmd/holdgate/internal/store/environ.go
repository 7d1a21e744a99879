package store

import "strings"

// Variable names the store for all commands, PasswordVariable holds the password to it.
const (
	Variable         = "HOLDGATE_STORE"
	PasswordVariable = "HOLDGATE_STORE_PASSWORD"
)

// Environ returns an environment in which commands find this store, without what would
// let them in: secrets are not passed on.
func (s Store) Environ(environ []string) []string {
	kept := make([]string, 0, len(environ)+1)
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if name != Variable && name != PasswordVariable {
			kept = append(kept, v)
		}
	}
	if s.Default {
		return kept
	}
	return append(kept, Variable+"="+s.String())
}
