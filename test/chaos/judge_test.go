package chaos

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/lockmodel"
	"github.com/holdgate/holdgate/test/chaos/witness"
)

// told is how long the witness may take to hear of everything.
const told = 30 * time.Second

// judge puts together what everybody saw.
func (r *run) judge() outcome {
	out := outcome{plan: r.plan, counts: r.counts, output: make(map[string]string)}
	ctx, stop := context.WithTimeout(r.tb.Context(), told)
	defer stop()
	store, err := r.store.witness().Stop(ctx, r.plan.ttl)
	r.must(err)
	// Of one moment, what the store did comes first.
	all := [][]history.Event{store, r.log.Events()}
	for _, s := range r.slots {
		for _, l := range s.lives {
			events, err := l.saw()
			r.must(err)
			all = append(all, events)
			out.ended(l)
		}
	}
	out.events = history.Merge(all...)
	out.silences = r.store.witness().Silences()
	return out
}

// ended looks at how a process ended.
func (o *outcome) ended(l *life) {
	if l.output.Len() > 0 {
		o.output[l.id] = l.output.String()
	}
	if l.killed == 0 && l.failed != nil {
		first, _, _ := strings.Cut(l.output.String(), "\n")
		o.objects = append(o.objects, history.Violation{
			Rule: "ends well", Text: fmt.Sprintf("process %s: %v: %s", l.id, l.failed, first),
		})
	}
}

// verdict is what the judges say of an outcome.
type verdict struct {
	violations []history.Violation
	model      *lockmodel.Verdict // nil when Porcupine was not asked
}

// verdict asks the judges of the store.
func (o outcome) verdict() verdict {
	if k := o.plan.kind; k != nil && k.judge != nil {
		return k.judge(o)
	}
	return o.strictly()
}

// strictly asks for everything: of a store that keeps its promises.
func (o outcome) strictly() verdict {
	model := lockmodel.Check(o.events)
	v := verdict{violations: append(slices.Clone(o.objects), history.Check(o.events)...), model: &model}
	v.violations = slices.DeleteFunc(v.violations, o.excused)
	if v.model.Err != nil {
		v.violations = append(v.violations, history.Violation{Rule: "Porcupine", Text: v.model.Err.Error()})
	}
	return v
}

// excused reports whether a Lock was refused in the calm, because the store had a pause of
// its own: it did not answer the witness either. A machine that is too busy for three
// members elects leaders on and on.
func (o outcome) excused(v history.Violation) bool {
	return v.Rule == "granted when calm" && slices.ContainsFunc(o.silences, func(s witness.Silence) bool {
		return s.From <= v.At && v.At-2*o.plan.ttl <= s.To
	})
}

// ok reports whether all is well.
func (v verdict) ok() bool { return len(v.violations) == 0 }

// rules are those that were broken, each once.
func (v verdict) rules() []string {
	var rules []string
	for _, violation := range v.violations {
		rules = append(rules, violation.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// keep writes down everything there is to know about a run that failed, and returns where.
func (o outcome) keep(tb testing.TB, v verdict) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", fmt.Sprintf("holdgate-chaos-%d-", o.plan.seed))
	if err != nil {
		tb.Fatal(err)
	}
	var story, raw, picture bytes.Buffer
	fmt.Fprintln(&story, o.plan)
	slices.SortStableFunc(v.violations, func(a, b history.Violation) int { return cmp.Compare(a.At, b.At) })
	_ = history.Story(&story, o.events, v.violations)
	w := history.NewWriter(&raw)
	for _, e := range o.events {
		w.Add(e)
	}
	if v.model != nil {
		if err := v.model.Draw(&picture); err != nil {
			tb.Error(err)
		}
	}
	files := map[string][]byte{"story.txt": story.Bytes(), "history.jsonl": raw.Bytes(), "porcupine.html": picture.Bytes()}
	for id, text := range o.output {
		files[id+".output"] = []byte(text)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}
