package mutation

// Mutants are the mistakes, by the invariant of ARCHITECTURE.md that each one breaks.
func Mutants() []Mutant {
	return []Mutant{
		// I1: whoever ends belief in a session finds every hold there is.
		{"holders not told of the end of the session", []Edit{{
			"session.go",
			"p.ended(s.toldOf(p, cause, renewed))",
			"_ = s.toldOf(p, cause, renewed)",
		}}},
		{"a lost session's place granted", []Edit{{
			"acquire.go",
			"\t\tcase p.session.failed(err):\n\t\t\treturn errSessionOver\n\t\tcase ctx.Err() != nil:\n\t\t\tp.abandon()\n\t\t\treturn context.Cause(ctx)\n",
			"\t\tcase p.session.failed(err):\n\t\t\treturn nil\n\t\tcase ctx.Err() != nil:\n\t\t\tp.abandon()\n\t\t\treturn context.Cause(ctx)\n",
		}, {
			"ownplace.go",
			"\tcase !s.trusted():\n\t\treturn errSessionOver\n\tcase s.places[p.claim.ID] != p:\n\t\treturn errRemoved\n",
			"",
		}, {
			"hold.go",
			"if s := h.place.session; !s.believed() {",
			"if s := h.place.session; !s.believed() && false {",
		}}},

		// I2: belief is checked by the reader, not only by a timer.
		{"only the timer tells of expiry", []Edit{{
			"session.go",
			"return !s.over.Load() && s.client.clock.Now() < time.Duration(s.tellBy.Load())",
			"return !s.over.Load()",
		}}},

		// I3: belief counts from when a renewal was sent, and ends a guard before the store may
		// free the place.
		{"guard removed", []Edit{{
			"trust.go",
			"return t.deadline() - guard(t.ttl)",
			"return t.deadline()",
		}}},
		{"no allowance for the rates of clocks", []Edit{{
			"trust.go",
			"return t.proven + t.ttl - t.ttl/100",
			"return t.proven + t.ttl",
		}}},
		{"deadline counted from the answer", []Edit{{
			"renew.go",
			"s.trust.renewed(sent, answered)",
			"s.trust.renewed(answered, answered)",
		}}},
		{"deadline counted from the answer of Open", []Edit{{
			"open.go",
			"newSession(c, drv, sent)",
			"newSession(c, drv, c.clock.Now())",
		}}},
		{"lag of the store's clock ignored", []Edit{{
			"session.go",
			"newTrust(drv.TTL(), c.features.RenewLag, sent)",
			"newTrust(drv.TTL(), 0, sent)",
		}}},
		{"an expired session closed before its holders had the guard", []Edit{{
			"session.go",
			"if lost.Reason != LostExpired || sleep(c.ctx, c.clock, deadline-c.clock.Now()) == nil {",
			"if _ = deadline; true {",
		}}},
		{"holders not told of an eviction", []Edit{{
			"renew.go",
			"\t\ts.evicted(e)\n",
			"\t\t_ = e\n",
		}}},
		{"an evicted place removed before its holder can know", []Edit{{
			"evict.go",
			"c.clock.AfterFunc(ttl+c.features.ExpirySlack,",
			"c.clock.AfterFunc(ttl/8,",
		}}},

		// I4: what is sent is registered, and what nobody registered is removed.
		{"an Enter repeated under another ID", []Edit{{
			"acquire.go",
			"if err = retry.pause(ctx, err); err != nil {\n\t\t\tp.abandon()\n\t\t\treturn err\n\t\t}\n",
			"if err = retry.pause(ctx, err); err != nil {\n\t\t\tp.abandon()\n\t\t\treturn err\n\t\t}\n\t\tp.claim.ID = p.session.client.random.id()\n",
		}}},
		{"what may stand is not left", []Edit{{
			"leave.go",
			"func (p *ownPlace) abandon() {\n\tif p.startLeaving() {",
			"func (p *ownPlace) abandon() {\n\tif p.startLeaving() && false {",
		}}},
		{"strays not removed", []Edit{{
			"reconcile.go",
			"s.drv.Leave(ctx, at.Line, at.ID)",
			"ctx.Err()",
		}}},
		{"never reconciling", []Edit{{
			"renew.go",
			"s.reconcileSoon() // what was sent during an outage may have happened or not",
			"",
		}, {
			"renew.go",
			"\t\ts.compared = now\n\t\ts.reconcileSoon()\n",
			"\t\ts.compared = now\n",
		}, {
			"session.go",
			"\tif errors.Is(err, driver.ErrUnknownOutcome) {\n\t\ts.reconcileSoon()\n\t}\n",
			"",
		}}},
		{"a session that is closed is not told to the store", []Edit{{
			"session.go",
			"err := s.drv.Close(attempt)",
			"err := attempt.Err()",
		}}},

		// I5: a place is gone only when its very line says so.
		{"reconciling against a list taken earlier: strays", []Edit{{
			"reconcile.go",
			"!known && !s.knows(at.ID)",
			"!known",
		}}},
		{"reconciling against a list taken earlier: places that are gone", []Edit{{
			"reconcile.go",
			"line.Find(p.claim.ID) < 0 && s.stands(p)",
			"len(line.Name) > 0 && s.stands(p)",
		}}},

		// I6: a grant is passed on for so long and so often, each time with a new token.
		{"equal tokens on local hand-off", []Edit{{
			"localline.go",
			"newHold(ctx, l.place, l, l.grants)",
			"newHold(ctx, l.place, l, 0)",
		}}},
		{"no bound on the hand-off", []Edit{{
			"linger.go",
			"\tif l.grants >= bound.Grants {\n\t\treturn false\n\t}\n",
			"\tif l.grants >= 1<<seqBits-1 {\n\t\treturn false\n\t}\n",
		}, {
			"linger.go",
			"return served < bound.Time || l.alone && served < servesAtMost",
			"return served < bound.Time || true",
		}}},
		{"no bound on the number of hand-offs", []Edit{{
			"linger.go",
			"\tif l.grants >= bound.Grants {\n\t\treturn false\n\t}\n",
			"",
		}}},
		{"a place is kept though somebody waits", []Edit{{
			"linger.go",
			"if l.alone = alone(); !l.alone && l.state == lineKept {",
			"if l.alone = alone() || true; !l.alone && l.state == lineKept {",
		}}},
		{"a place is kept without end", []Edit{{
			"linger.go",
			"l.alone && served < servesAtMost",
			"l.alone",
		}, {
			"linger.go",
			"case left > 0:",
			"case left > -time.Hour:\n\t\tleft = c.opts.Linger",
		}}},
		{"the place does not go to the end of the line", []Edit{{
			"localline.go",
			"\t\t\tl.swap = true\n",
			"",
		}}},

		// I7: a place that is being left is granted to nobody.
		{"a grant while releasing", []Edit{{
			"localline.go",
			"\tif !l.queue.empty() {\n\t\tdefer l.mu.Unlock()\n",
			"\tif !l.queue.empty() {\n\t\tdefer l.mu.Unlock()\n\t\tp.abandon()\n",
		}, {
			"ownplace.go",
			"\tcase p.leaving:\n\t\tpanic(\"holdgate: grant on a place that is being left\")\n",
			"",
		}}},
		{"a grant while releasing, which the core sees itself", []Edit{{
			"localline.go",
			"\tif !l.queue.empty() {\n\t\tdefer l.mu.Unlock()\n",
			"\tif !l.queue.empty() {\n\t\tdefer l.mu.Unlock()\n\t\tp.abandon()\n",
		}}},
		{"a stale release without the ID", []Edit{{
			"localline.go",
			"p := h.place\n\tif l.place != p || l.state != lineHeld {",
			"p := l.place\n\tif p == nil || l.state != lineHeld {",
		}}},

		// I8: a wake-up is a hint.
		{"a wake-up taken as a grant", []Edit{{
			"acquire.go",
			"case err == nil && at.Granted:",
			"case err == nil:",
		}}},

		// I9: an operation whose answer was lost has an unknown outcome.
		{"a release whose answer was lost is called a loss", []Edit{{
			"leave.go",
			"return p.unsure || !p.answered",
			"return false",
		}}},
		{"a call that gets no answer is not ended", []Edit{{
			"call.go",
			"late[id](errNoAnswer)",
			"_ = late[id]",
		}}},

		// Waiting and giving up.
		{"a waiter that does not see its context end", []Edit{{
			"localline.go",
			"case <-ctx.Done():\n\t}\n\tl.mu.Lock()\n\tif l.queue.remove(w) {",
			"case <-l.client.ctx.Done():\n\t}\n\tl.mu.Lock()\n\tif l.queue.remove(w) {",
		}}},
		{"a waiter that gives up drops what it was just granted", []Edit{{
			"localline.go",
			"r := <-w.result // it was decided before the context ended\n\treturn r.hold, r.err",
			"<-w.result\n\treturn nil, context.Cause(ctx)",
		}}},
	}
}
