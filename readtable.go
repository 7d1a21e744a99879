package holdgate

import (
	"context"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// readTable has the readers of each name whom others may join. Who cannot be joined any
// more is in nobody's table: their holds know them.
type readTable struct {
	mu     sync.Mutex
	byName map[string]*readers
}

// find returns the readers of a name, nil when there are none.
func (t *readTable) find(name string) *readers {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byName[name]
}

// join returns the readers of the claim's name, new ones if there are none.
func (t *readTable) join(c *Client, claim driver.Claim) *readers {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.byName[claim.Line]
	if r == nil {
		r = &readers{client: c, claim: claim}
		if t.byName == nil {
			t.byName = make(map[string]*readers)
		}
		t.byName[claim.Line] = r
	}
	return r
}

// remove forgets readers, if they are there.
func (t *readTable) remove(r *readers) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName[r.claim.Line] == r {
		delete(t.byName, r.claim.Line)
	}
}

// read takes a lock for reading, by the place of others of this process where they may be
// joined. A try joins whom it finds reading, and else asks the store: it does not wait with
// those who wait.
func (c *Client) read(ctx context.Context, claim driver.Claim) (*Hold, error) {
	for {
		if claim.Try {
			if r := c.reads.find(claim.Line); r != nil {
				if h := r.join(ctx); h != nil {
					return h, nil
				}
			}
			return c.hold(ctx, claim)
		}
		r := c.reads.join(c, claim)
		if h := r.join(ctx); h != nil {
			return h, nil
		}
		if w := r.wait(ctx); w != nil {
			return r.await(ctx, w)
		}
	}
}
