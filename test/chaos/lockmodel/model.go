package lockmodel

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// kind is what is done to a lock and its register.
type kind string

const (
	grant  kind = "is granted"
	end    kind = "believes no more"
	accept kind = "writes"
	reject kind = "is refused a write"
)

// input is one operation of a hold.
type input struct {
	kind  kind
	name  string
	hold  string
	token uint64
	// before is the next smaller token of all grants of this name. Grants come in the
	// order of their tokens or not at all; to say so spares the search all others.
	before uint64
	gone   bool // it is not one of the grants; see tale.gone
}

// state is a lock, and the register that it protects.
type state struct {
	holder string // who believes; "" when nobody does
	token  uint64 // of the last grant
	newest uint64 // the largest token that the register took
}

// step says whether an operation is possible, and what follows from it.
func (s state) step(in input) (bool, state) {
	switch in.kind {
	case grant:
		free := s.holder == "" && in.token > s.token && in.before == s.token
		s.holder, s.token = in.hold, in.token
		return free, s
	case end:
		held := s.holder == in.hold
		s.holder = ""
		return held, s
	case accept:
		granted := (in.gone || in.token <= s.token) && in.token >= s.newest
		s.newest = in.token
		return granted, s
	case reject:
		return in.token < s.newest && in.hold != s.holder, s
	}
	return false, s
}

// model is the specification, for each name by itself.
func model() porcupine.Model {
	return porcupine.Model{
		Partition: byName,
		Init:      func() any { return state{} },
		Step: func(s, in, _ any) (bool, any) {
			ok, next := s.(state).step(in.(input))
			return ok, next
		},
		DescribeOperation: func(in, _ any) string {
			op := in.(input)
			return fmt.Sprintf("%s %s, token %d", op.hold, op.kind, op.token)
		},
		DescribeState: func(s any) string {
			now := s.(state)
			return fmt.Sprintf("held by %q, last token %d, register at %d", now.holder, now.token, now.newest)
		},
	}
}

func byName(all []porcupine.Operation) [][]porcupine.Operation {
	var parts [][]porcupine.Operation
	at := make(map[string]int)
	for _, op := range all {
		name := op.Input.(input).name
		i, ok := at[name]
		if !ok {
			i = len(parts)
			at[name] = i
			parts = append(parts, nil)
		}
		parts[i] = append(parts[i], op)
	}
	return parts
}
