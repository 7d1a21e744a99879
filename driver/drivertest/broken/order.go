package broken

import (
	"context"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func orderFaults() []Fault {
	return []Fault{
		{
			Name:     "same order twice",
			CaughtBy: []string{"order/two-at-once", "order/increases-over-the-line's-life"},
			plant: func(do *overrides) {
				do.view = func(p driver.Place) driver.Place {
					p.Order = (p.Order + 1) / 2
					return p
				}
			},
		},
		{
			Name:     "orders start anew in an empty line",
			CaughtBy: []string{"order/increases-over-the-line's-life", "order/many-lines-used-once", "order/increases-for-another-use"},
			plant:    restartOrders,
		},
		{
			Name:     "order too large for a token",
			CaughtBy: []string{"order/fits-a-token"},
			plant: func(do *overrides) {
				do.view = func(p driver.Place) driver.Place {
					p.Order |= 1 << 55
					return p
				}
			},
		},
	}
}

// restartOrders counts the orders of a line from where it was empty last.
func restartOrders(do *overrides) {
	var (
		mu   sync.Mutex
		base = make(map[string]uint64)
	)
	do.enter = func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
		p, err := s.Session.Enter(ctx, c)
		if err != nil {
			return p, err
		}
		if l, err := s.d.Driver.Line(ctx, c.Line); err == nil && len(l.Places) == 1 && l.Places[0].ID == c.ID {
			mu.Lock()
			base[c.Line] = p.Order - 1
			mu.Unlock()
		}
		return p, nil
	}
	do.view = func(p driver.Place) driver.Place {
		mu.Lock()
		defer mu.Unlock()
		p.Order -= base[p.Line]
		return p
	}
}
