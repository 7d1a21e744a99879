package discovery

import (
	"context"
	"fmt"
	"sync"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/membership"
)

// linePrefix keeps services apart from locks and groups: a service may have the name of a lock.
const linePrefix = "holdgate.service/"

// MaxService is how long the name of a service may be, in bytes.
const MaxService = driver.MaxName - len(linePrefix)

// The kinds of error, beside those of package holdgate and the cause of a context that ended.
var (
	// ErrClosed: the registration has ended by Close.
	ErrClosed = membership.ErrLeft
	// ErrReplaced: another process registered the same instance, later.
	ErrReplaced = membership.ErrReplaced
)

// Registration is an instance of this process, from Register to Close. All its methods may be
// called by any goroutine.
type Registration struct {
	member *membership.Membership

	mu       sync.Mutex // so that updates are written in the order in which they came
	instance Instance
}

// Register makes an instance of a service known, and keeps it so until Close: after a lost
// session it is registered again, with its newest data. When Register returns, every
// up-to-date lookup has the instance.
//
// An instance of the same ID is replaced, see [membership.Group.Join]. The name of a service is
// UTF-8 of 1 to MaxService bytes without NUL. What is wrong with it or with the instance is
// ErrInvalidName, ErrInvalid or ErrTooLarge, and changes nothing; the other errors are those of
// Join.
func Register(ctx context.Context, client *holdgate.Client, service string, in Instance) (*Registration, error) {
	data, err := in.encode()
	if err != nil {
		return nil, fmt.Errorf("register %q: %w", service, err)
	}
	g, err := group(client, service)
	if err != nil {
		return nil, err
	}
	m, err := g.Join(ctx, in.ID, data)
	if err != nil {
		return nil, fmt.Errorf("register %q: %w", service, err)
	}
	return &Registration{member: m, instance: in.copied()}, nil
}

// group is the group of the instances of a service.
func group(client *holdgate.Client, service string) (membership.Group, error) {
	err := driver.CheckName(service)
	if err == nil && len(service) > MaxService {
		err = fmt.Errorf("a service has 1 to %d bytes, this one has %d", MaxService, len(service))
	}
	if err != nil {
		return membership.Group{}, fmt.Errorf("%w: service: %w", holdgate.ErrInvalidName, err)
	}
	return membership.Of(client, linePrefix+service), nil
}

// Instance returns the instance as it was last registered or updated.
func (r *Registration) Instance() Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.instance.copied()
}

// Update makes a changed instance known: another address, weight or metadata. Its ID is that of
// the registration, or empty. Otherwise it behaves as [membership.Membership.Update] does.
func (r *Registration) Update(ctx context.Context, in Instance) error {
	if in.ID == "" {
		in.ID = r.member.ID()
	}
	data, err := in.encode()
	switch {
	case in.ID != r.member.ID():
		return fmt.Errorf("update instance %q: %w: its ID stays, %q is another", r.member.ID(), holdgate.ErrInvalid, in.ID)
	case err != nil:
		return fmt.Errorf("update instance %q: %w", in.ID, err)
	}
	wait, err := r.set(in, data)
	if err != nil {
		return err
	}
	return wait(ctx)
}

// set makes the instance the newest, and returns what waits until it is written.
func (r *Registration) set(in Instance, data string) (wait func(context.Context) error, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if wait, err = r.member.Set(data); err == nil {
		r.instance = in.copied()
	}
	return wait, err
}

// Present reports whether the store has the instance, as far as this process can know now. It
// is false while it is about to be registered again.
func (r *Registration) Present() bool { return r.member.Present() }

// Done is closed when the registration has ended for good: by Close, or as Err says.
func (r *Registration) Done() <-chan struct{} { return r.member.Done() }

// Err returns nil until the registration has ended for good, then why: see
// [membership.Membership.Err].
func (r *Registration) Err() error { return r.member.Err() }

// Close takes the instance away, and returns when no up-to-date lookup has it any more. It never
// comes back, whatever was under way. Close works with a cancelled context, as
// [membership.Membership.Leave] does.
func (r *Registration) Close(ctx context.Context) error { return r.member.Leave(ctx) }
