package lockmodel

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/holdgate/holdgate/internal/history"
)

// patience is for the search. It takes far less where an order is found.
const patience = time.Minute

var (
	// ErrImpossible: there is no such order.
	ErrImpossible = errors.New("no order of grants, ends and writes explains the history")
	// ErrUnknown: none was found in time.
	ErrUnknown = errors.New("no order was found in time")
)

// Verdict is what came of a search.
type Verdict struct {
	Err error

	model porcupine.Model
	info  porcupine.LinearizationInfo
}

// Draw writes the picture of the search, an HTML page.
func (v Verdict) Draw(out io.Writer) error { return porcupine.Visualize(v.model, v.info, out) }

// Check judges a history; see [history.Merge].
func Check(events []history.Event) Verdict {
	v := Verdict{model: model()}
	ops := operations(events)
	var result porcupine.CheckResult
	result, v.info = porcupine.CheckOperationsVerbose(v.model, ops, patience)
	switch result {
	case porcupine.Illegal:
		v.Err = ErrImpossible
	case porcupine.Unknown:
		v.Err = fmt.Errorf("%w: %d operations", ErrUnknown, len(ops))
	}
	return v
}

// tale is what a history says of one hold.
type tale struct {
	worker         int
	name           string
	token          uint64
	ask, grant     time.Duration
	endFrom, endTo time.Duration
	granted, over  bool
	// gone: it asked when the place may have been taken away already, and was given it all
	// the same, by its own process. Whether that lets in two at once is not for this model.
	gone bool
}

// operations makes operations of the events. A grant happened between the call of Lock
// and its return. Belief ended when the code called Release; or, where it was told that
// it had lost the lock, some time after it was last sure and before it was told. A hold
// that was taken away behind its holder's back counts up to then.
func operations(events []history.Event) []porcupine.Operation {
	tales := make(map[string]*tale)
	var order []string
	workers := make(map[string]int)
	places := make(map[string][]*tale)
	var ops []porcupine.Operation
	for _, e := range events {
		h := tales[e.Hold]
		switch e.Kind {
		case history.Ask:
			tales[e.Hold] = &tale{worker: number(workers, e.Hold), name: e.Name, ask: e.At}
			order = append(order, e.Hold)
		case history.Grant:
			h.grant, h.token, h.granted = e.At, e.Token, true
			places[e.Place] = append(places[e.Place], h)
		case history.Release:
			h.ended(e.At, e.At)
		case history.Lost:
			h.ended(since(e), e.At)
		}
	}
	for _, e := range events {
		if e.Kind == history.Broken {
			for _, h := range places[e.Place] {
				h.broken(since(e))
			}
		}
	}
	for _, e := range events {
		if e.Kind == history.Accept || e.Kind == history.Reject {
			ops = append(ops, writing(e, tales[e.Hold], number(workers, "register/")))
		}
	}
	befores := tokensBefore(tales)
	for _, id := range order {
		if h := tales[id]; h.granted && !h.gone {
			ops = append(ops, h.operations(id, befores)...)
		}
	}
	return ops
}

// grantKey names the grants of one token.
type grantKey struct {
	name  string
	token uint64
}

// tokensBefore has the next smaller token of each that was granted.
func tokensBefore(tales map[string]*tale) map[grantKey]uint64 {
	tokens := make(map[string][]uint64)
	for _, h := range tales {
		if h.granted && !h.gone {
			tokens[h.name] = append(tokens[h.name], h.token)
		}
	}
	before := make(map[grantKey]uint64)
	for name, all := range tokens {
		slices.Sort(all)
		last := uint64(0)
		for _, token := range slices.Compact(all) {
			before[grantKey{name, token}] = last
			last = token
		}
	}
	return before
}

// writing is what the register did.
func writing(e history.Event, by *tale, client int) porcupine.Operation {
	in := input{kind: accept, name: e.Name, hold: e.Hold, token: e.Token, gone: by != nil && by.gone}
	if e.Kind == history.Reject {
		in.kind = reject
	}
	return porcupine.Operation{ClientId: client, Input: in, Call: int64(e.At), Return: int64(e.At)}
}

// operations are those of one hold.
func (h *tale) operations(id string, before map[grantKey]uint64) []porcupine.Operation {
	in := input{name: h.name, hold: id, token: h.token, before: before[grantKey{h.name, h.token}]}
	took, gave := in, in
	took.kind, gave.kind = grant, end
	ops := []porcupine.Operation{{ClientId: h.worker, Input: took, Call: int64(h.ask), Return: int64(h.grant)}}
	if !h.over {
		h.endFrom, h.endTo = h.grant, math.MaxInt64
	}
	return append(ops, porcupine.Operation{ClientId: h.worker, Input: gave, Call: int64(h.endFrom), Return: int64(h.endTo)})
}

// ended notes when belief ended. Only the first end counts.
func (h *tale) ended(from, to time.Duration) {
	if !h.over {
		h.endFrom, h.endTo, h.over = from, to, true
	}
}

// broken notes that belief may have been wrong from a moment on.
func (h *tale) broken(from time.Duration) {
	h.gone = h.gone || h.ask > from
	if h.over {
		h.endFrom = min(h.endFrom, from)
	}
}

func since(e history.Event) time.Duration {
	if e.Since != 0 {
		return e.Since
	}
	return e.At
}

// number is that of the worker of a hold, "<worker>#<call>", for the picture.
func number(workers map[string]int, hold string) int {
	worker, _, _ := strings.Cut(hold, "#")
	n, ok := workers[worker]
	if !ok {
		n = len(workers)
		workers[worker] = n
	}
	return n
}
