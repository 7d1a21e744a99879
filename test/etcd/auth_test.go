package etcd_test

import (
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// Tokens expire. Whatever is asked after that, of an old stream or by a single request, works
// at the first attempt, and no session is lost by it.
func TestExpiredTokens(t *testing.T) {
	t.Parallel()
	client := asUser(t, etcdserver.Start(t, 1, "--auth-token-ttl", "1"), "/app/")
	d, err := etcddriver.New(client, &etcddriver.Options{Prefix: "/app"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ses := openSession(t, d, time.Minute)
	for range 3 {
		held, next := mutex("orders"), mutex("orders")
		enter(t, ses, held)
		p := enter(t, ses, next)
		granted := lockedBy(t, ses, p)
		expire := func() { wait(t, 2500*time.Millisecond) } // a token that is not used for a second, and the look for such
		expire()
		if _, err := ses.Renew(t.Context()); err != nil {
			t.Errorf("Renew: %v", err)
		}
		expire()
		if err := ses.Leave(t.Context(), held.Line, held.ID); err != nil {
			t.Errorf("Leave: %v", err)
		}
		within(t, granted, "the next")
		expire()
		if err := ses.Leave(t.Context(), next.Line, next.ID); err != nil {
			t.Errorf("Leave: %v", err)
		}
	}
}
