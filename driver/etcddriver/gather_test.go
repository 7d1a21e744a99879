package etcddriver

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// What keeps nobody waiting goes as it is: no transaction around it.
func TestAnOperationGoesAtOnceByItself(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		entered := r.enter(t.Context(), 1, "orders")
		a := r.one()
		if a.txn == nil || lineOf(a.txn) != "orders" {
			t.Errorf("Enter sent %v, want its transaction", a)
		}
		a.answer(r)
		<-entered
		left := r.leave(t.Context(), 1, "orders")
		if a = r.one(); a.removal == nil {
			t.Errorf("Leave sent %v, want a removal", a)
		}
		a.answer(r)
		<-left
	})
}

func TestOthersGather(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		flights := r.fill()
		want := []string{"a", "b", "c"}
		for n, name := range want {
			r.enter(t.Context(), n, name)
			if more := r.news(); len(more) > 0 {
				t.Fatalf("%d requests more are under way", len(more))
			}
		}
		batch := r.gathered(flights[0])
		if got := batch.linesIn(); !slices.Equal(got, want) {
			t.Errorf("the batch has the lines %q, want %q", got, want)
		}
		r.enter(t.Context(), 4, "d")
		batch.answer(r)
		if got := r.one().linesIn(); !slices.Equal(got, []string{"d"}) {
			t.Errorf("what went next has the lines %q, want the one that came meanwhile", got)
		}
	})
}

// Two places that one transaction has made have the same order.
func TestALineIsOnceInABatch(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		flights := r.fill()
		r.enter(t.Context(), 1, "a")
		if more := r.news(); len(more) > 0 {
			t.Fatalf("%d requests more are under way", len(more))
		}
		r.enter(t.Context(), 2, "a")
		r.enter(t.Context(), 3, "b")
		// Nor does the second wait until the first has gone: lines that many want would be
		// served one operation a batch.
		if a := r.one(); len(a.txn.Compare) == 0 || lineOf(a.txn) != "a" {
			t.Errorf("the second in the line sent %v, want its own transaction", a)
		}
		if got := r.gathered(flights[0]).linesIn(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("the batch has the lines %q, want each once", got)
		}
	})
}

// What was given up before it was sent is never sent.
func TestGivenUpBeforeTheBatch(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		flights := r.fill()
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		given := r.enter(ctx, 1, "a")
		r.enter(t.Context(), 2, "b")
		r.news()
		cancel(why)
		switch o := <-given; {
		case !errors.Is(o.err, why) || !errors.Is(o.err, driver.ErrUnavailable):
			t.Errorf("got the error %v, want the cause, and that nothing happened", o.err)
		case errors.Is(o.err, driver.ErrUnknownOutcome):
			t.Errorf("got the error %v, though nothing was sent", o.err)
		}
		if got := r.gathered(flights[0]).linesIn(); !slices.Equal(got, []string{"b"}) {
			t.Errorf("the batch has the lines %q, want what was not given up", got)
		}
		// The line is free to gather again.
		r.enter(t.Context(), 3, "a")
		if more := r.news(); len(more) > 0 {
			t.Errorf("%d requests more are under way", len(more))
		}
	})
}

// A batch goes on for those who still wait for it, and only for them.
func TestGivenUpAfterTheBatch(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		flights := r.fill()
		why := errors.New("enough")
		var cancels []context.CancelCauseFunc
		var outcomes []<-chan outcome
		for n, name := range []string{"a", "b"} {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancels = append(cancels, cancel)
			outcomes = append(outcomes, r.enter(ctx, n, name))
		}
		r.news()
		batch := r.gathered(flights[0])
		for i, cancel := range cancels {
			if batch.ctx.Err() != nil {
				t.Fatal("the batch was ended, though somebody waits for it")
			}
			cancel(why)
			if o := <-outcomes[i]; !errors.Is(o.err, driver.ErrUnknownOutcome) || !errors.Is(o.err, why) {
				t.Errorf("got the error %v, want an unknown outcome by the cause", o.err)
			}
			r.news()
		}
		if batch.ctx.Err() == nil {
			t.Error("the batch goes on, though nobody waits for it")
		}
		r.enter(t.Context(), 3, "c")
		if a := r.one(); lineOf(a.txn) != "c" {
			t.Errorf("what went next is %v, want what came after", a)
		}
	})
}

// What hangs at a member that was left keeps nobody from asking another.
func TestFlightsAtAMemberThatWasLeft(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		flights := r.fill()
		r.enter(t.Context(), 1, "a")
		r.news()
		r.d.members.leave(r.d.members.current(), time.Second)
		r.enter(t.Context(), 2, "b")
		if got := r.one().linesIn(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("another member was asked for the lines %q, want both", got)
		}
		for _, f := range flights {
			f.answer(r)
		}
		r.enter(t.Context(), 3, "c")
		if a := r.one(); lineOf(a.txn) != "c" {
			t.Errorf("what went next is %v, want what came after", a)
		}
	}, "b:1")
}

// A member that is asked again has a new count: what it answers late of what was asked before
// makes no room for more than may be under way.
func TestFlightsAtAMemberThatIsAskedAgain(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		old := r.fill()
		first := r.d.members.current()
		r.d.members.leave(first, time.Second)
		r.enter(t.Context(), 1, "a")
		elsewhere := r.one()
		r.d.members.leave(r.d.members.current(), 2*time.Second)
		if r.d.members.current() != first {
			t.Fatal("it is not the first member that is asked again")
		}
		elsewhere.answer(r)
		for n := range maxFlights {
			r.enter(t.Context(), 10+n, "again "+idOf(10+n))
		}
		if n := len(r.news()); n != maxFlights {
			t.Fatalf("%d requests are under way there, want %d", n, maxFlights)
		}
		for _, f := range old {
			f.answer(r)
		}
		r.enter(t.Context(), 2, "b")
		if late := r.news(); len(late) != 0 {
			t.Errorf("%d more requests were sent, want none", len(late))
		}
	}, "b:1")
}
