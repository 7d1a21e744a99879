package drivertest

import (
	"errors"

	"github.com/holdgate/holdgate/driver"
)

func inputPlaceCases() []testCase {
	return []testCase{
		{
			name:   "input/bad-place-ids",
			reason: "An ID that no client makes names no place. It may be a path or a pattern to the store.",
			run:    inputBadPlaceIDs,
		},
		{
			name:   "input/bad-updates",
			reason: "An update is checked as a claim is, and a refused one leaves the place as it was.",
			needs:  queue,
			run:    inputBadUpdates,
		},
	}
}

func inputBadPlaceIDs(e *env) {
	a := e.actor()
	good := a.take(mutex("orders"))
	for _, id := range []string{"", "*", "..", good.ID[:31], good.ID + "0", "../" + good.ID[3:]} {
		bad := good
		bad.ID = id
		e.fails(a.ses.Leave(e.ctx(), bad.Line, id), driver.ErrInvalid, "Leave of the ID %q", id)
		if e.Layout == driver.LayoutQueue {
			_, err := a.ses.Wait(e.ctx(), bad)
			e.fails(err, driver.ErrInvalid, "Wait for the ID %q", id)
			_, err = a.ses.Update(e.ctx(), bad)
			e.fails(err, driver.ErrInvalid, "Update of the ID %q", id)
		}
		// Places of other software have IDs of any form, so an operator may name any.
		for _, force := range []bool{false, true} {
			err := a.drv.Evict(e.ctx(), bad.Line, id, driver.Eviction{Force: force})
			if !errors.Is(err, driver.ErrGone) {
				e.fails(err, driver.ErrInvalid, "Evict of the ID %q", id)
			}
		}
	}
	e.unchanged(a, good)
}

func inputBadUpdates(e *env) {
	a := e.actor()
	good := a.take(mutex("orders"))
	for what, bad := range map[string]struct {
		data []byte
		kind error
	}{
		"data that is no JSON":    {[]byte("{"), driver.ErrInvalid},
		"data of 4097 bytes":      {jsonOf("a", driver.MaxData+1), driver.ErrTooLarge},
		"data of a million bytes": {jsonOf("a", 1<<20), driver.ErrTooLarge},
	} {
		_, err := a.ses.Update(e.ctx(), a.withData(good, bad.data))
		e.fails(err, bad.kind, "Update with %s", what)
	}
	e.unchanged(a, good)
	a.update(a.withData(good, jsonOf("<&>", driver.MaxData)))
}
