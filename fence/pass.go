package fence

import (
	"errors"
	"fmt"
	"math"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// What cannot fence, and why.
var (
	// ErrNoToken: the token is 0. The store gives none, or the hold has ended.
	ErrNoToken = errors.New("no fencing token")
	// ErrShared: the hold is shared with others, so that its token says nothing about
	// who may write.
	ErrShared = errors.New("a shared hold does not fence")
	// ErrInvalidToken: no store gives such a token.
	ErrInvalidToken = errors.New("invalid fencing token")
)

// Pass is what a holder shows to a resource: which lock, and by which grant of it.
type Pass struct {
	// Name is the name of the lock.
	Name string
	// Token is that of the grant. It fits a signed 64-bit integer, and exceeds 2^53:
	// where numbers are floating-point it travels as text.
	Token holdgate.Token
}

// Holder is what a pass is made from: a *holdgate.Hold.
type Holder interface {
	Name() string
	Token() holdgate.Token
	Exclusive() bool
	Err() error
}

// Of returns the pass of a hold. It answers why the hold has ended, when it has;
// ErrShared for a hold that others share; ErrNoToken where the store gives no tokens.
//
// A pass is not kept up to date. Ask for it anew before each use: then a process that was
// paused finds out by itself, as a rule, before it even asks the resource.
func Of(h Holder) (Pass, error) {
	p := Pass{Name: h.Name(), Token: h.Token()}
	switch {
	case h.Err() != nil:
		return Pass{}, h.Err()
	case !h.Exclusive():
		return Pass{}, fmt.Errorf("%w: %q is held together with others, of whom none is the newest", ErrShared, p.Name)
	case p.Token == 0:
		return Pass{}, fmt.Errorf("%w: the store of %q gives none", ErrNoToken, p.Name)
	}
	return p, nil
}

// OfName returns the pass of one of the names that a hold has: see holdgate.Client.LockAll. It
// answers as Of does, and ErrNoToken for a name that is not among them.
func OfName(h *holdgate.Hold, name string) (Pass, error) {
	if _, err := Of(h); err != nil {
		return Pass{}, err
	}
	p := Pass{Name: name, Token: h.TokenFor(name)}
	if p.Token == 0 {
		return Pass{}, fmt.Errorf("%w: the hold is not one of %q", ErrNoToken, name)
	}
	return p, nil
}

// Check reports what is wrong with a pass that came from elsewhere: a bad name, a token
// of 0 (ErrNoToken), or one over 2^63-1 (ErrInvalidToken).
func (p Pass) Check() error {
	if err := driver.CheckName(p.Name); err != nil {
		return fmt.Errorf("%w: %w", holdgate.ErrInvalidName, err)
	}
	switch {
	case p.Token == 0:
		return fmt.Errorf("%w: the token of %q is 0", ErrNoToken, p.Name)
	case p.Token > math.MaxInt64:
		return fmt.Errorf("%w: a token is at most %d, not %v", ErrInvalidToken, math.MaxInt64, p.Token)
	}
	return nil
}

// Against compares the pass with the largest token that the resource knows for its
// name, and returns a *StaleError when that one is larger. It is for those who
// keep the token by their own means.
func (p Pass) Against(newest holdgate.Token) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p.Token < newest {
		return &StaleError{Name: p.Name, Token: p.Token, Newest: newest}
	}
	return nil
}
