package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// heldVariable has the IDs of the places that a command and those around it run under. Each run
// waits for its command, so who waits inside for one of them waits for ever.
//
// They are IDs and not names: what is left of an environment when the lock is long released
// means nothing, nor does the same name in another store.
const heldVariable = "HOLDGATE_HELD"

// held is what that variable is for a command that runs under the places of one more hold.
func held(hold *holdgate.Hold) string {
	places := strings.Fields(os.Getenv(heldVariable))
	for _, name := range hold.Names() {
		places = append(places, hold.PlaceIDFor(name))
	}
	return strings.Join(places, " ")
}

// nested gives up a wait for what a command around this one holds.
type nested struct {
	unseen bool                    // who holds a part of it may go on: others have the rest
	giveUp context.CancelCauseFunc // ends the wait; set before it begins
}

// outer are the places that this process runs under, the innermost first.
func outer() []string {
	places := strings.Fields(os.Getenv(heldVariable))
	slices.Reverse(places)
	return slices.DeleteFunc(places, func(id string) bool { return driver.CheckID(id) != nil })
}

// onWait returns what is to be called during a wait, nil when nothing is; tell is told of it.
func (n *nested) onWait(tell func(holdgate.Waiting)) func(holdgate.Waiting) {
	outer := strings.Fields(os.Getenv(heldVariable))
	if len(outer) == 0 || n.unseen {
		return tell
	}
	return func(w holdgate.Waiting) {
		switch {
		case slices.Contains(outer, w.Holder.ID):
			n.giveUp(fmt.Errorf("%w: this command runs under that lock already, and would wait for its own end", holdgate.ErrDeadlock))
		case tell != nil:
			tell(w)
		}
	}
}

// lock waits for the lock, unless that would be for ever.
func (n *nested) lock(ctx context.Context, t taker) (*holdgate.Hold, error) {
	ctx, n.giveUp = context.WithCancelCause(ctx)
	defer n.giveUp(nil)
	return t.wait(ctx)
}
