package chaos

import (
	"slices"
	"testing"

	"github.com/holdgate/holdgate/internal/mutation"
)

// root is the root module's folder, seen from this one.
const root = "../.."

// overlay writes what the go command needs to build a client of this store with the mistake.
func (m mutant) overlay(t *testing.T, k *kind) string {
	t.Helper()
	edits := slices.Clone(m.edits[k.name])
	for _, name := range m.mistakes {
		edits = append(edits, mutation.Named(t, name)...)
	}
	return mutation.Overlay(t, root, edits...)
}

// shownBy reports whether the mistake can be made, and shows, with this store. Of one that
// promises little, only what it promises is asked.
func (m mutant) shownBy(k *kind) bool {
	own := len(m.edits[k.name]) > 0
	return own || len(m.mistakes) > 0 && k.judge == nil && !slices.Contains(m.hiddenBy, k.name)
}
