package main

import (
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/supervise"
)

// attend starts the command and waits for it and its group. It returns what it ended with, and why
// it was made to end, nil when it was not. A process can have one command only.
func attend(h supervise.Hold, spec child.Spec, o supervise.Options) (code int, why, err error) {
	child.Catch(o.Signals, child.Passed()...)
	process, err := start(h, spec)
	for _, f := range spec.Keep {
		_ = f.Close() // the command has its own
	}
	if err != nil {
		return 0, nil, err
	}
	defer process.Close()
	child.Catch(o.Signals, child.Harmless()...) // only now: it takes time, and is in no hurry
	code, why = supervise.Run(h, process, o)
	return code, why, nil
}

// start starts the command, unless what it is to run under has ended already: we may have been
// stopped since it was granted.
func start(h supervise.Hold, spec child.Spec) (*child.Process, error) {
	if err := h.Err(); err != nil {
		return nil, err
	}
	return child.Start(spec)
}
