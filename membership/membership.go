package membership

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"

	"github.com/holdgate/holdgate"
)

// Membership is the part of this process in a group, from Join to Leave. All its methods may be
// called by any goroutine.
type Membership struct {
	group Group
	card  card

	ctx  context.Context //nolint:containedctx // the membership's own lifetime
	stop context.CancelFunc
	kept chan struct{} // closed when the keeper has ended
	done chan struct{} // closed when the membership has ended
	news chan struct{} // asks the keeper to look at data

	tasks sync.WaitGroup // asking older members of this ID to go

	token holdgate.Token // of stay, for the keeper; 0 when it was lost before anybody looked

	mu      sync.Mutex
	stay    *holdgate.Stay
	data    string       // the newest, written or not
	waiting []chan error // those who wait for that to be written
	err     error        // why it has ended
}

func newMembership(g Group, id, data string) *Membership {
	m := &Membership{
		group: g, card: card{ID: id, Incarnation: rand.Text()}, data: data,
		kept: make(chan struct{}), done: make(chan struct{}), news: make(chan struct{}, 1),
	}
	m.ctx, m.stop = context.WithCancel(context.Background())
	return m
}

// begin starts what keeps the membership.
func (m *Membership) begin() { go m.keep() } // ends with Leave, or when it cannot be kept

// ID returns the ID of the member.
func (m *Membership) ID() string { return m.card.ID }

// Incarnation tells this Join from others of the same ID.
func (m *Membership) Incarnation() string { return m.card.Incarnation }

// Data returns the newest data, whether they were written yet or not.
func (m *Membership) Data() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.data
}

// Present reports whether the store has this member, as far as this process can know now. It
// is false while the member is about to come back after a loss.
func (m *Membership) Present() bool {
	m.mu.Lock()
	stay, ended := m.stay, m.err != nil
	m.mu.Unlock()
	return !ended && stay != nil && stay.Err() == nil
}

// Done is closed when the membership has ended for good: by Leave, or as Err says.
func (m *Membership) Done() <-chan struct{} { return m.done }

// Err returns nil while the process is a member, or is about to come back. Afterwards it is
// ErrLeft; ErrReplaced; a *holdgate.LostError with the reason LostEvicted when somebody asked
// the member to go (see Client.Evict); ErrClosed after the end of its client; or what the
// store refused for good.
func (m *Membership) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Update shows the others new data, and returns when the store has them. They are the newest
// from here on: with them the member comes back after a loss. When ctx ends first the error
// matches its cause, and the data are written as soon as the store can be reached, unless an
// Update follows. Data that are too long are ErrTooLarge, what is no UTF-8 is ErrInvalid, and
// change nothing. After the end of the membership it answers as Err does.
func (m *Membership) Update(ctx context.Context, data string) error {
	wait, err := m.Set(data)
	if err != nil {
		return err
	}
	return wait(ctx)
}

// Set is Update for those who do not wait, or not yet: the function that it returns waits until
// the data are written. It need not be called.
func (m *Membership) Set(data string) (wait func(ctx context.Context) error, err error) {
	if err := m.group.line.Check(m.card.encode(data)); err != nil {
		return nil, fmt.Errorf("update %q in %q: %w", m.ID(), m.group.Name(), err)
	}
	written := make(chan error, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return nil, m.err
	}
	m.data = data
	m.waiting = append(m.waiting, written)
	m.poke()
	return func(ctx context.Context) error { return m.await(ctx, written) }, nil
}

// await waits until data are written.
func (m *Membership) await(ctx context.Context, written <-chan error) error {
	select {
	case err := <-written:
		return err
	case <-m.done:
		return m.Err()
	case <-ctx.Done():
		return fmt.Errorf("update %q in %q: it is written when the store answers: %w", m.ID(), m.group.Name(), context.Cause(ctx))
	}
}

// poke asks the keeper to write what is newest.
func (m *Membership) poke() {
	select {
	case m.news <- struct{}{}:
	default:
	}
}

// take returns what is to be written, and who waits for it.
func (m *Membership) take() (value string, waiting []chan error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	waiting, m.waiting = m.waiting, nil
	return m.card.encode(m.data), waiting
}

// untake is for what could not be written yet.
func (m *Membership) untake(waiting []chan error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = append(waiting, m.waiting...)
}

func answer(waiting []chan error, err error) {
	for _, w := range waiting {
		w <- err // each has room for one
	}
}

// end ends the membership for good. Only the first cause counts.
func (m *Membership) end(cause error) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return false
	}
	m.err = cause
	close(m.done)
	return true
}

// endsWith is how the membership is told that its place ended for good, nil when it is to
// come back.
func endsWith(lost error) error {
	var how *holdgate.LostError
	switch {
	case errors.Is(lost, holdgate.ErrClosed):
		return holdgate.ErrClosed
	case !errors.As(lost, &how) || how.Reason != holdgate.LostEvicted:
		return nil
	case how.Message == replaced:
		return fmt.Errorf("%w, of %q", ErrReplaced, how.By)
	}
	return lost
}
