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

// batchMutants are mistakes that somebody could make in the group commit.
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
		{Name: "what was given up is sent", Edits: []mutation.Edit{{
			File: gather,
			From: "func(other *operation) bool { return other == o }",
			To:   "func(other *operation) bool { return other == nil }",
		}}},
		{Name: "all bear what is one's own", Edits: []mutation.Edit{{
			File: batch,
			From: "if len(b.all) == 1 || !ofOne(err) {",
			To:   "if true || !ofOne(err) {",
		}}},
		{Name: "a lost answer taken for a refusal", Edits: []mutation.Edit{{
			File: batch,
			From: "return refusal(err) ||",
			To:   "return oneOf(err, driver.ErrUnknownOutcome) || refusal(err) ||",
		}}},
		{Name: "a batch ended by the first who gives up", Edits: []mutation.Edit{{
			File: gather,
			From: "if b.awaited--; b.awaited == 0 {",
			To:   "if b.awaited--; true {",
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
				"-run", "Gather|Batch|GivenUp", "./driver/etcddriver")
			cmd.Dir = root
			out, err := cmd.CombinedOutput()
			switch {
			case err == nil:
				t.Error("the tests pass")
			case !strings.Contains(string(out), "--- FAIL"):
				t.Errorf("%v, and no test has failed:\n%s", err, out)
			}
		})
	}
}
