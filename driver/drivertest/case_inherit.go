package drivertest

import (
	"os"

	"github.com/holdgate/holdgate/driver"
)

func inheritCases() []testCase {
	return []testCase{
		{
			name: "inherit/keeps-the-session",
			reason: "A wrapper is killed while its child still works. The child was given the session's " +
				"files, so nobody else is let in before it has ended too (S68).",
			needs: inherit,
			run:   inheritKeepsSession,
		},
		{
			name:   "inherit/files-are-the-caller's",
			reason: "The caller closes what it was given, once per child; the session is not hurt by that.",
			needs:  inherit,
			run:    inheritFilesAreCallers,
		},
		{
			name: "inherit/close-frees-all-the-same",
			reason: "A wrapper that ends cleanly gives back at once, also when a grandchild that it knows " +
				"nothing of still has the files.",
			needs: inherit,
			run:   inheritCloseFrees,
		},
		{
			name: "inherit/refused",
			reason: "Where a session cannot be passed on, the wrapper must know: it then ends the child " +
				"itself before the lock is lost.",
			needs: not(inherit),
			run:   inheritRefused,
		},
	}
}

// inheritance is what a child would be given.
func (a *actor) inheritance() []*os.File {
	a.Helper()
	inheriter, ok := a.ses.(driver.Inheriter)
	if !ok {
		a.Fatal("the driver declares Inherit and its sessions do not implement it")
	}
	files, err := inheriter.Inherit()
	a.must(err, "Inherit")
	if len(files) == 0 {
		a.Fatal("Inherit returned no files")
	}
	a.Cleanup(func() { closeAll(files) })
	return files
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // closed already, where the case itself did it
	}
}

func inheritKeepsSession(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	files := a.inheritance()
	w := b.queue(mutex("orders"))
	a.crash()
	b.busy(mutex("orders"))
	w.pending()
	b.stands("orders", p, w.place)
	closeAll(files)
	w.grantedWithin(a.deathIn() + patience)
}

func inheritFilesAreCallers(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	for range 3 {
		closeAll(a.inheritance())
	}
	a.renew()
	b.busy(mutex("orders"))
	a.leave(p)
	b.take(mutex("orders"))
}

func inheritCloseFrees(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	a.inheritance()
	w := b.queue(mutex("orders"))
	w.pending()
	a.end()
	w.granted()
	a.isLost(p)
}

func inheritRefused(e *env) {
	a := e.actor()
	inheriter, ok := a.ses.(driver.Inheriter)
	if !ok {
		return // not to have the method at all is the plainest refusal
	}
	files, err := inheriter.Inherit()
	closeAll(files)
	e.fails(err, driver.ErrUnsupported, "Inherit")
}
