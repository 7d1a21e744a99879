package child

import (
	"fmt"
	"os"
)

// Process is a command that was started.
type Process struct {
	process *os.Process
	events  chan Event
}

// Start starts the command.
func Start(s Spec) (*Process, error) {
	if len(s.Keep) > 0 {
		return nil, fmt.Errorf("pass %s on: %w", s.Keep[0].Name(), ErrNotExecutable)
	}
	process, err := os.StartProcess(s.Path, s.Args, &os.ProcAttr{
		Env:   s.Env,
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	})
	if err != nil {
		return nil, startError(s.Args[0], err)
	}
	p := &Process{process: process, events: make(chan Event, 1)}
	go p.wait() // ends with the command
	return p, nil
}

// Events tells when the command has ended.
func (p *Process) Events() <-chan Event { return p.events }

func (p *Process) wait() {
	code := 1
	if state, err := p.process.Wait(); err == nil {
		code = state.ExitCode()
	}
	p.events <- Event{Type: Exited, Code: code}
}

// Signal does nothing: the console tells the command itself.
func (p *Process) Signal(os.Signal) {}

// Terminate ends the command, at once: it cannot be asked.
func (p *Process) Terminate() { p.Kill() }

// Kill ends the command.
func (p *Process) Kill() { _ = p.process.Kill() } // one that has ended needs none

// Left reports false: what the command left behind is not known.
func (p *Process) Left() bool { return false }

// Stopped, PassStop, Suspend and Resume do nothing: there is no job control.
func (p *Process) Stopped(os.Signal) (suspend bool) { return false }
func (p *Process) PassStop()                        {}
func (p *Process) Suspend() bool                    { return false }
func (p *Process) Resume()                          {}

// Close does nothing: the console belongs to all.
func (p *Process) Close() {}
