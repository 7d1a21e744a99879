package redis_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/redisserver"
)

// Each step is one script, whatever the session has: counted by the server.
func TestTrips(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	a := newActor(t, server, nil, time.Minute)
	a.leave(a.take("orders")) // from here on the scripts are known
	if _, err := a.ses.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		a.take("line-" + strconv.Itoa(i))
	}
	var p driver.Place
	for _, step := range []struct {
		name string
		call func() error
	}{
		{"entering a free lock", func() (err error) { p, err = a.ses.Enter(t.Context(), mutex("orders")); return err }},
		{"renewing 301 places", func() error { _, err := a.ses.Renew(t.Context()); return err }},
		{"leaving it", func() error { return a.ses.Leave(t.Context(), p.Line, p.ID) }},
	} {
		do(t, admin, "CONFIG", "RESETSTAT")
		if err := step.call(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := calls(t, do(t, admin, "INFO", "commandstats").(string), "evalsha", "eval"); got != 1 {
			t.Errorf("%s took %d scripts, want 1", step.name, got)
		}
	}
}
