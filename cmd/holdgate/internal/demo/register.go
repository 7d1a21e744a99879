package demo

import "github.com/holdgate/holdgate"

// register is the resource that the lock protects. It knows nothing of locks: it remembers
// the largest token that it has seen, and refuses writers with a smaller one.
type register struct {
	seen  holdgate.Token
	value string
}

func (r *register) write(token holdgate.Token, value string) (accepted bool) {
	if token < r.seen {
		return false
	}
	r.seen, r.value = token, value
	return true
}
