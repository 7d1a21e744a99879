package holdgate_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// Who is told that the session expired has a guard to stop in: the client does not
// give the place away before, though it could reach the store.
func TestExpiredHoldHasItsGuard(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := a.mustLock(t, "x")
		told := toldAt(h)
		a.faults.always(memdriver.OpRenew, memdriver.Fault{Err: driver.ErrUnavailable})
		mustRelease(t, b.mustLock(t, "x"))
		synctest.Wait()
		guard := ttl / 20
		if got := time.Since(told.when()); got < guard {
			t.Fatalf("granted to another %v after the holder was told; want %v", got, guard)
		}
	})
}
