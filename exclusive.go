package holdgate

// Exclusive reports whether the hold keeps everybody else out: a mutex, an election, a
// writer, or all permits there are. Only then does its token fence: of holders that
// share a lock the one with the larger token is not the one to believe. A writer that
// became a reader is exclusive no more.
func (h *Hold) Exclusive() bool {
	p := h.place
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.claim.Units > 0 && p.claim.Units == p.claim.Capacity && !p.lowered
}
