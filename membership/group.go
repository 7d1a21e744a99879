package membership

import (
	"context"
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
)

// The kinds of error, beside those of package holdgate and the cause of a context that ended.
var (
	// ErrLeft: the membership has ended by Leave.
	ErrLeft = fmt.Errorf("the member has left: %w", holdgate.ErrNotHeld)
	// ErrReplaced: another process joined with the same ID, later.
	ErrReplaced = fmt.Errorf("replaced by a later member of the same ID: %w", holdgate.ErrLost)
)

// MaxID is how long the ID of a member may be, in bytes.
const MaxID = 256

// Group is the processes that joined under one name. It is a small value: make one wherever it
// is needed. Its name is that of a line, which cannot be a lock at the same time.
type Group struct {
	client *holdgate.Client
	line   holdgate.Presence
}

// Of returns the group of this name: UTF-8 of 1 to 512 bytes without NUL.
func Of(client *holdgate.Client, name string) Group {
	return Group{client: client, line: client.Presence(name)}
}

// Name returns the name of the group.
func (g Group) Name() string { return g.line.Name() }

// Member is a process that is in a group, as the others see it.
type Member struct {
	// ID is what it calls itself, Data what it tells the others.
	ID   string `json:"id"`
	Data string `json:"data,omitempty"`
	// Owner is the owner text of its client.
	Owner string `json:"owner,omitempty"`
	// Joined is since when its entry stands, on its own clock: since Join, or since it last
	// came back.
	Joined time.Time `json:"joined,omitzero"`
	// Incarnation tells one Join from another: a process that was started again has another
	// one under the same ID.
	Incarnation string `json:"incarnation"`
	// Token grows with each entry: of two members the one with the larger token came, or
	// came back, later.
	Token holdgate.Token `json:"token"`
	// PlaceID is its place in the line, for Client.Evict.
	PlaceID string `json:"place_id"`
}

// Join makes this process a member: with an ID, UTF-8 of 1 to MaxID bytes without NUL, and what
// it tells the others, UTF-8 without NUL. Both together take at most about 3.7 KiB in JSON. When
// it returns, every up-to-date list has the member.
//
// An ID that is there already is replaced: a process that was started again takes over its
// own entry. Two that live and use one ID are a mistake, and the one that joined last stays.
//
// ctx bounds the joining only. It answers ErrInvalid or ErrInvalidName for what is no ID, data
// or name, ErrTooLarge for data that is too long, ErrMismatch when the name is that of a lock,
// ErrUnsupported on a store that has only exclusive locks, and ErrUnavailable when
// the store could not be reached for a TTL. Then nothing was changed, or what was is
// taken back.
func (g Group) Join(ctx context.Context, id, data string) (*Membership, error) {
	if err := checkID(id); err != nil {
		return nil, fmt.Errorf("join %q: %w", g.Name(), err)
	}
	m := newMembership(g, id, data)
	if err := m.enter(ctx); err != nil {
		m.stop()
		return nil, fmt.Errorf("join %q as %q: %w", g.Name(), id, err)
	}
	m.begin()
	return m, nil
}

// In returns the members in a line that was read already, sorted by ID.
func In(line holdgate.Line) []Member { return membersOf(line.Places) }

// Members returns who is in the group, up to date and sorted by ID. A group that nobody joined
// has no members, which is no error.
func (g Group) Members(ctx context.Context) ([]Member, error) {
	line, err := g.client.Line(ctx, g.Name())
	if err != nil {
		return nil, fmt.Errorf("members: %w", err)
	}
	return membersOf(line.Places), nil
}
