package chaos

import (
	"slices"
	"testing"

	"github.com/holdgate/holdgate/internal/mutation"
)

// root is the root module's folder, seen from this one.
const root = "../.."

// overlay writes what the go command needs to build a client with the mistake.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	edits := slices.Clone(m.edits)
	for _, name := range m.mistakes {
		edits = append(edits, mutation.Named(t, name)...)
	}
	return mutation.Overlay(t, root, edits...)
}
