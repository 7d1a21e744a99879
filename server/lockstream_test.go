package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Who is told of a grant believes in it for half a TTL. A server that was stopped, or did not reach
// the store, tells nobody: another may be granted the lock by then.
func TestNoGrantOnASessionOfTheDistantPast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age  time.Duration
		told bool
	}{
		"renewed just now":    {0, true},
		"for over half a TTL": {streamTTL/2 + time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drv := memdriver.New()
			defer drv.Close()
			ses, err := drv.Open(t.Context(), driver.SessionOptions{TTL: streamTTL, Owner: "curl"})
			if err != nil {
				t.Fatal(err)
			}
			w := &hearer{ResponseRecorder: httptest.NewRecorder(), heard: make(chan struct{})}
			b := &boundSession{
				st: &stream{w: w, rc: http.NewResponseController(w)}, ses: ses, ttl: streamTTL,
				renewed: time.Now().Add(-c.age),
			}
			ended := make(chan error, 1)
			claim := driver.Claim{Line: "orders", ID: strings.Repeat("1", 32), Kind: driver.KindMutex, Capacity: 1, Units: 1}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go func() { ended <- b.run(ctx, claim, 0) }() // awaited below
			select {
			case <-w.heard:
				if !c.told {
					t.Error("it told of the grant")
				}
				stop()
				if err := <-ended; errors.Is(err, driver.ErrSessionLost) {
					t.Errorf("it ended by %v, though its client hung up", err)
				}
			case err := <-ended:
				if c.told || !errors.Is(err, driver.ErrSessionLost) {
					t.Errorf("it ended by %v", err)
				}
			}
		})
	}
}

// hearer is a client of a stream, and knows when it was told of a grant.
type hearer struct {
	*httptest.ResponseRecorder
	heard chan struct{}
}

func (h *hearer) Write(text []byte) (int, error) {
	if strings.Contains(string(text), "event: granted") {
		close(h.heard)
	}
	return len(text), nil
}
