package etcd_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/mutation"
)

// root is the root module's folder, seen from this one.
const root = "../.."

// batchMutants are the worst mistakes that somebody could make in the group commit.
func batchMutants() []mutation.Mutant {
	const gather, batch = "driver/etcddriver/gather.go", "driver/etcddriver/batch.go"
	return []mutation.Mutant{
		{Name: "one told what came of another's", Edits: []mutation.Edit{{
			File: batch,
			From: "answer.Responses[i]",
			To:   "answer.Responses[len(b.all)-1-i]",
		}}},
		{Name: "two places of a line in one batch", Edits: []mutation.Edit{{
			File: gather,
			From: "if _, waits := g.lines[o.line]; waits {",
			To:   "if _, waits := g.lines[o.line]; waits && false {",
		}}},
	}
}

// The tests of the group commit find each of them.
func TestBatchMutants(t *testing.T) {
	t.Parallel()
	for _, m := range batchMutants() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithTimeout(t.Context(), 8*time.Minute)
			defer stop()
			cmd := exec.CommandContext(ctx, "go", "test", "-overlay", mutation.Overlay(t, root, m.Edits...),
				"-run", "OnceInABatch|MixedOutcomes", "./driver/etcddriver")
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			switch {
			case err == nil:
				t.Error("the tests pass")
			case strings.Contains(string(out), "[build failed]") || !strings.Contains(string(out), "FAIL"):
				t.Errorf("%v, and not for a test:\n%s", err, out)
			}
		})
	}
}
