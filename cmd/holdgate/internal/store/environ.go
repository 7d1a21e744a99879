package store

import (
	"slices"
	"strings"
)

// Variable names the store for all commands.
const Variable = "HOLDGATE_STORE"

// letIn are the variables with what opens a store. They are not passed on by any build, also by
// one that knows of no store with a password.
func letIn() []string {
	return []string{
		"HOLDGATE_STORE_PASSWORD", "HOLDGATE_STORE_SENTINEL_PASSWORD", "HOLDGATE_STORE_TOKEN",
		"HOLDGATE_STORE_CERT", "HOLDGATE_STORE_KEY",
	}
}

// Environ returns an environment in which commands find this store, without what would
// let them in: secrets are not passed on.
func (s Store) Environ(environ []string) []string {
	kept := make([]string, 0, len(environ)+1)
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if name != Variable && !slices.Contains(letIn(), name) {
			kept = append(kept, v)
		}
	}
	if s.Default {
		return kept
	}
	return append(kept, Variable+"="+s.String())
}
