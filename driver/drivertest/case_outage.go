package drivertest

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

func outageCases() []testCase {
	return []testCase{
		{
			name: "outage/answer-lost",
			reason: "The place was made, and the answer did not come. That is its own kind of error: busy or " +
				"unavailable would make the caller walk away from a lock that it holds (S28).",
			needs: canLoseAnswer,
			run:   outageAnswerLost,
		},
		{
			name: "outage/answer-of-leave-lost",
			reason: "A release whose answer was lost has happened. To repeat it says that nothing is there, " +
				"and does not touch who came after (S19).",
			needs: canLoseAnswer,
			run:   outageLeaveLost,
		},
		{
			name:   "outage/answer-of-swap-lost",
			reason: "A swap is one step, so that one whose answer was lost is done, and returns its place when repeated.",
			needs:  all(queue, canLoseAnswer),
			run:    outageSwapLost,
		},
		{
			name: "outage/store-hangs",
			reason: "A store that takes connections and never answers must not hang a program: each call " +
				"ends with its context (S37).",
			needs: canStall,
			run:   outageHangs,
		},
		{
			name: "outage/store-gone",
			reason: "A store that is not there is unavailable. It is never busy: a cron job would skip its " +
				"run and report success (S32).",
			needs: canCut,
			run:   outageGone,
		},
	}
}

func outageAnswerLost(e *env) {
	a, b := e.actor(), e.actor()
	for i, c := range []driver.Claim{mutex("orders"), try(mutex("invoices"))} {
		e.Hooks.LoseAnswer(e.TB, a.drv)
		_, err := a.ses.Enter(e.ctx(), c)
		e.fails(err, driver.ErrUnknownOutcome, "Enter whose answer was lost")
		p := a.take(c)
		b.stands(c.Line, p)
		b.busy(mutex(c.Line))
		if i == 0 {
			a.leave(p)
			b.stands(c.Line)
		}
	}
}

func outageLeaveLost(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	e.Hooks.LoseAnswer(e.TB, a.drv)
	e.fails(a.ses.Leave(e.ctx(), p.Line, p.ID), driver.ErrUnknownOutcome, "Leave whose answer was lost")
	next := b.take(mutex("orders"))
	e.fails(a.ses.Leave(e.ctx(), p.Line, p.ID), driver.ErrGone, "Leave, the second time")
	b.stands("orders", next)
}

func outageSwapLost(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	c := mutex("orders")
	e.Hooks.LoseAnswer(e.TB, a.drv)
	_, err := a.ses.Swap(e.ctx(), p, c)
	e.fails(err, driver.ErrUnknownOutcome, "Swap whose answer was lost")
	again := a.swap(p, c)
	b.stands("orders", again)
}

func outageHangs(e *env) {
	a := e.actor()
	p := a.take(mutex("orders"))
	resume := e.Hooks.Stall(e.TB, a.drv)
	for _, op := range a.operations(p) {
		ctx, cancel := context.WithCancelCause(e.Context())
		var at time.Time
		timer := time.AfterFunc(10*time.Millisecond, func() { at = time.Now(); cancel(errGaveUp) })
		err := e.returns(ctx, op)
		timer.Stop()
		if ctx.Err() == nil {
			cancel(nil)
			e.Errorf("%s was answered by a store that hangs: %v", op.name, err)
			continue
		}
		if took := time.Since(at); took > e.promptly() {
			e.Errorf("%s returned %v after it was cancelled, want at most %v", op.name, took, e.promptly())
		}
		e.cancelled(err, errGaveUp, "%s", op.name)
	}
	resume()
	a.renew()
}

func outageGone(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	heal := e.Hooks.Cut(e.TB, b.drv)
	for _, op := range b.operations(p) {
		err := op.call(e.ctx())
		if !errors.Is(err, driver.ErrUnavailable) && !errors.Is(err, driver.ErrUnknownOutcome) {
			e.Errorf("%s without the store: got the error %v, want unavailable or unknown", op.name, err)
		}
		if errors.Is(err, driver.ErrBusy) || errors.Is(err, driver.ErrGone) || errors.Is(err, driver.ErrSessionLost) {
			e.Errorf("%s without the store: the error %v claims to know what the store says", op.name, err)
		}
	}
	a.stands("orders", p)
	heal()
	e.eventually("the handle works again", func() bool {
		_, err := b.ses.Renew(e.ctx())
		return err == nil
	})
	b.busy(mutex("orders"))
}
