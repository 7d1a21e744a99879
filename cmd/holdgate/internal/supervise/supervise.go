package supervise

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
)

// Why a command was ended, beside the loss of its lock.
var (
	// ErrUnrenewed: the trust in the hold was about to end.
	ErrUnrenewed = errors.New("lock not renewed in time")
	// ErrMaxHold: it was held for as long as it may be.
	ErrMaxHold = errors.New("lock held for the longest time allowed")
)

// Hold is what is asked of a lock.
type Hold interface {
	// Done is closed when the hold has ended, Err tells why.
	Done() <-chan struct{}
	Err() error
	// TrustedUntil is when it will end unless a renewal succeeds.
	TrustedUntil() time.Time
}

// Process is what is asked of a command: *child.Process.
type Process interface {
	Events() <-chan child.Event
	Signal(os.Signal)
	Terminate()
	Kill()
	Left() bool

	Stopped(by os.Signal) (suspend bool)
	PassStop()
	Suspend() bool
	Resume()
}

// Options say how.
type Options struct {
	// Grace is how long the command has to end by itself.
	Grace time.Duration
	// MaxHold, when not 0, is after how long it is asked to end.
	MaxHold time.Duration
	// Harmless: nothing is guarded by the hold, so that a command which has lost it has the
	// grace all the same.
	Harmless bool
	// Signals are passed on.
	Signals chan os.Signal
	// OnEnding is told why the command is made to end, when that begins. It must not wait for
	// anything: the command is running.
	OnEnding func(why error)
}

// Run returns when the command and its group are gone: with what the command
// ended with, and why it was made to end, nil when it was not.
func Run(h Hold, p Process, o Options) (code int, why error) {
	s := &supervisor{hold: h, process: p, opts: o, lost: h.Done()}
	s.trust = time.NewTimer(0)
	defer s.trust.Stop()
	if o.MaxHold > 0 {
		s.limit = time.After(o.MaxHold)
	}
	for !s.exited || p.Left() {
		s.next()
	}
	return s.code, s.why
}

// supervisor is one call of Run. Channels are nil while there is nothing to wait for.
type supervisor struct {
	hold    Hold
	process Process
	opts    Options

	trust    *time.Timer     // when to look at the trust again
	believed time.Time       // until when the hold was believed when last looked at
	lost     <-chan struct{} // closed when the hold has ended
	limit    <-chan time.Time

	why    error // why it is made to end
	kill   <-chan time.Time
	killAt time.Time
	killed bool // the kernel starts nobody in a group that was killed: once is enough

	exited bool // the command; its group may not be
	code   int
	look   <-chan time.Time // when to look again whether the group is gone

	suspended bool // we were stopped with the command; SIGCONT tells that we go on
}

const (
	// lookAgain is how often a group is looked at that does not say when it is gone.
	lookAgain = 20 * time.Millisecond
	// trustAgain bounds how long a trust is not looked at.
	trustAgain = time.Hour
)

func (s *supervisor) next() {
	select {
	case sig := <-s.opts.Signals:
		s.signal(sig)
	case e := <-s.process.Events():
		s.happened(e)
	case <-s.trust.C:
		s.checkTrust()
	case <-s.lost:
		s.lost = nil
		s.lose()
	case <-s.limit:
		s.end(fmt.Errorf("%w: %v", ErrMaxHold, s.opts.MaxHold), s.opts.Grace)
	case <-s.kill:
		s.killNow()
	case <-s.look:
		s.look = time.After(lookAgain)
	}
}

// signal passes a signal on. The terminal's own go to the command's group directly.
func (s *supervisor) signal(sig os.Signal) {
	switch {
	case sig == child.StopSignal:
		s.process.PassStop()
	case sig == child.ContinueSignal && s.suspended:
		s.goOn()
	default:
		s.process.Signal(sig)
	}
}

func (s *supervisor) happened(e child.Event) {
	switch e.Type {
	case child.Exited:
		s.exited, s.code = true, e.Code
		if s.process.Left() {
			s.process.Terminate()
			s.killWithin(s.opts.Grace)
			s.look = time.After(lookAgain)
		}
	case child.Stopped:
		if !s.process.Stopped(e.Signal) {
			return
		}
		if s.suspended = s.process.Suspend(); !s.suspended {
			s.goOn()
		}
	case child.Reaped: // the loop looks at the group
	}
}

// goOn continues the command after we were stopped with it, if the hold survived that.
// A command that is stopped does no harm, so one that is not continued waits for
// its end.
func (s *supervisor) goOn() {
	s.suspended = false
	if s.hold.Err() == nil {
		s.process.Resume()
	}
}

// checkTrust makes the command end when what is left of the trust is just enough for
// the grace.
func (s *supervisor) checkTrust() {
	left := time.Until(s.hold.TrustedUntil())
	if s.hold.Err() != nil {
		return // lose is called
	}
	s.believed = time.Now().Add(left)
	if left > s.opts.Grace {
		s.trust.Reset(min(left-s.opts.Grace, trustAgain))
		return
	}
	s.end(fmt.Errorf("%w: it can be believed for another %v", ErrUnrenewed, left.Round(time.Millisecond)), left)
}

// lose makes the command end when the hold has ended under it.
func (s *supervisor) lose() {
	left := time.Duration(0) // another may have the lock, or will in a moment
	if s.opts.Harmless || evicted(s.hold.Err()) {
		// The place stands until its time is over, and the trust in it does not outlast that.
		left = min(s.opts.Grace, time.Until(s.believed))
	}
	s.end(s.hold.Err(), left)
}

// end makes the command end within the time that is left. Only the first reason counts,
// and the shortest time.
func (s *supervisor) end(why error, left time.Duration) {
	if s.why == nil {
		s.why = why
		s.opts.OnEnding(why)
	}
	if left <= 0 {
		s.killNow()
		return
	}
	s.process.Terminate()
	s.killWithin(left)
}

func (s *supervisor) killNow() {
	if !s.killed {
		s.killed = true
		s.process.Kill()
	}
}

// killWithin sets when the group is killed, unless that is sooner already.
func (s *supervisor) killWithin(d time.Duration) {
	at := time.Now().Add(d)
	if s.kill == nil || at.Before(s.killAt) {
		s.kill, s.killAt = time.After(d), at
	}
}
