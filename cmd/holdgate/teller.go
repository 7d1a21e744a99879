package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// teller says on standard error how things stand while a lock is waited for and held.
// On a terminal a wait is one line that is kept up to date; elsewhere it is a line
// for each change. It is safe for concurrent use.
type teller struct {
	quiet, json bool
	block       *show.Block   // nil: not a terminal
	later       chan struct{} // closed when what ending says has been said

	mu      sync.Mutex
	spoke   bool
	begun   time.Time
	last    *holdgate.Waiting // the wait that is shown
	over    bool              // nothing is told about it any more
	stop    chan struct{}     // ends tick
	stopped chan struct{}
}

func newTeller(f *sessionFlags) *teller {
	t := &teller{quiet: f.quiet, json: f.json, begun: time.Now()}
	if !t.quiet && !t.json {
		t.block = show.NewBlock(os.Stderr)
	}
	return t
}

// message is what is said in JSON. Fields that do not apply are absent.
type message struct {
	Event   string      `json:"event"` // notice, waiting, acquired, present, ending, released, failed
	Name    string      `json:"name,omitempty"`
	ID      string      `json:"id,omitempty"`
	Message string      `json:"message,omitempty"`
	Holder  *show.Place `json:"holder,omitempty"`
	Ahead   int         `json:"ahead,omitempty"`
	Waited  float64     `json:"waited_seconds,omitempty"`
	Token   string      `json:"token,omitempty"`
	Held    float64     `json:"held_seconds,omitempty"`
	Code    int         `json:"exit_code,omitempty"`
}

// say prints a message, as text unless the text is empty or JSON was asked for.
func (t *teller) say(m message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.speakLocked()
	switch {
	case t.json:
		_ = show.Record(os.Stderr, m) // whoever closed it does not listen
	case m.Message != "":
		fmt.Fprintf(os.Stderr, "holdgate: %s\n", m.Message)
	}
}

// speakLocked is called before anything is said: that nobody reads it is not to end us.
func (t *teller) speakLocked() {
	if !t.spoke {
		t.spoke = true
		child.OutliveReaders()
	}
}

// notice says what is worth knowing though nothing is wrong.
func (t *teller) notice(text string) {
	if !t.quiet {
		t.say(message{Event: "notice", Message: text})
	}
}

// acquired, present and released are for programs: people see it by what their command does.
func (t *teller) acquired(h *holdgate.Hold) {
	if t.json && !t.quiet {
		t.say(message{Event: "acquired", Name: h.Name(), Token: h.Token().String(), Waited: seconds(time.Since(t.begun))})
	}
}

func (t *teller) present(name, id string) {
	if t.json && !t.quiet {
		t.say(message{Event: "present", Name: name, ID: id})
	}
}

func (t *teller) released(name string, held time.Duration, code int) {
	if t.json && !t.quiet {
		t.say(message{Event: "released", Name: name, Held: seconds(held), Code: code})
	}
}

// ending says why the command is made to end. It does not wait until that is read: a reader that
// has stopped reading is not to keep the command alive.
func (t *teller) ending(name string, why error) {
	t.later = make(chan struct{})
	go func() { // awaited by flush
		defer close(t.later)
		t.say(message{Event: "ending", Name: name, Message: oneLine(why.Error()) + "; ending the command"})
	}()
}

// flush gives what was said last a chance to be read. It is called by who called ending.
func (t *teller) flush() {
	if t.later == nil {
		return
	}
	select {
	case <-t.later:
	case <-time.After(flushTime):
	}
}

// flushTime is how long a program that has nothing else to do waits for a reader.
const flushTime = time.Second

// failed says how it ended, where that is to be said in JSON. Else it is said at the very end, as
// the errors of all commands.
func (t *teller) failed(name string, err error) error {
	if !t.json || err == nil || err.Error() == "" {
		return err
	}
	t.say(failure(name, err))
	return silently(exitCode(err))
}

// failure is the event that something went wrong.
func failure(name string, err error) message {
	return message{Event: "failed", Name: name, Message: oneLine(err.Error()), Code: exitCode(err)}
}

// ended says how it ended after ending has said why: the last event has the exit code. It waits no
// longer than flush does.
func (t *teller) ended(name string, why error) {
	if !t.json {
		return
	}
	said := make(chan struct{})
	go func() { // awaited, unless nobody reads: then it ends with the process
		defer close(said)
		<-t.later
		t.say(failure(name, &exitError{code: exitLost, err: why}))
	}()
	select {
	case <-said:
	case <-time.After(flushTime):
	}
}

// waiting is holdgate.Options.OnWait.
func (t *teller) waiting(w holdgate.Waiting) {
	t.mu.Lock()
	defer t.mu.Unlock()
	news := t.last == nil || t.last.Holder.ID != w.Holder.ID || t.last.Ahead != w.Ahead
	t.last = &w
	t.speakLocked()
	switch {
	case t.quiet, t.over:
	case t.block != nil:
		t.drawLocked()
		if t.stop == nil {
			t.stop, t.stopped = make(chan struct{}), make(chan struct{})
			go t.tick() // ended and awaited by done
		}
	case news && t.json:
		holder := show.NewPlace(w.Holder, 1)
		_ = show.Record(os.Stderr, message{
			Event: "waiting", Name: w.Name, Holder: &holder, Ahead: w.Ahead, Waited: seconds(time.Since(t.begun)),
		})
	case news:
		fmt.Fprintf(os.Stderr, "holdgate: %s\n", show.Waiting(w, time.Now()))
	}
}

// tick keeps the line on the terminal up to date.
func (t *teller) tick() {
	defer close(t.stopped)
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-second.C:
			t.mu.Lock()
			t.drawLocked()
			t.mu.Unlock()
		}
	}
}

func (t *teller) drawLocked() {
	now := time.Now()
	t.block.Draw(fmt.Sprintf("holdgate: %s, waited %s", show.Waiting(*t.last, now), show.Duration(now.Sub(t.begun))))
}

// done ends the telling about a wait.
func (t *teller) done() {
	t.mu.Lock()
	t.over = true // one that comes late is not to be drawn over what the command prints
	stop := t.stop
	t.mu.Unlock()
	if stop != nil {
		close(stop)
		<-t.stopped
		t.block.Erase()
	}
}

// anew begins to tell about another wait.
func (t *teller) anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun, t.last, t.over, t.stop, t.later = time.Now(), nil, false, nil, nil
}

func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}
