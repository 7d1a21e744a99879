package keeper

import (
	"encoding/json"
	"io"

	"github.com/holdgate/holdgate"
)

// Report is what the keeper tells the front; exactly one field is set.
type Report struct {
	// Watching: the owner is being watched. That it is the right process the front
	// has to see to: if it still is, now, it was when the watch began.
	Watching bool              `json:"watching,omitempty"`
	Waiting  *holdgate.Waiting `json:"waiting,omitempty"`
	Held     *Held             `json:"held,omitempty"`
	Failed   *Outcome          `json:"failed,omitempty"`
}

// Held says that the lock is held, and how to release it.
type Held struct {
	Handle string         `json:"handle"`
	Token  holdgate.Token `json:"token"`
}

// Outcome is how something ended: an exit code, and what to say.
type Outcome struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
}

// ack is what the front answers to Held, once it has passed the handle on. Without it the
// keeper gives the lock back: nobody else could.
const ack = "ack\n"

// Front is the keeper's end of the two pipes to the front.
type Front struct {
	In  io.ReadCloser
	Out io.WriteCloser
}

// Tell reports to the front, which may be gone.
func (f *Front) Tell(r Report) {
	_ = json.NewEncoder(f.Out).Encode(r)
}

// Listen returns a channel on which true is sent when the front has passed on the handle,
// false when it is gone without.
func (f *Front) Listen() <-chan bool {
	acked := make(chan bool, 1)
	go func() { // ends when the front answers or ends
		buf := make([]byte, len(ack))
		_, err := io.ReadFull(f.In, buf)
		acked <- err == nil && string(buf) == ack
	}()
	return acked
}
