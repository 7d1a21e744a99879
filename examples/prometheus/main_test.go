package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// TestMetrics is what Prometheus fetches while a lock is held, and when one was lost.
func TestMetrics(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String() + "/metrics"
	store := memdriver.NewStore()
	err = run(t.Context(), store.Connect(nil), l, func(ctx context.Context, client *holdgate.Client) error {
		hold, err := client.Mutex("orders/42").Lock(ctx)
		if err != nil {
			return err
		}
		want(ctx, t, url,
			`holdgate_acquire_duration_seconds_count{holdgate_lock="orders",.*outcome="ok"} 1`,
			`holdgate_acquire_duration_seconds_bucket{.*le="\+Inf".*} 1`,
			`holdgate_holds{holdgate_lock="orders",.*} 1`,
			`holdgate_sessions_total{.*} 1`,
		)
		store.ExpireSession(store.Sessions()[0])
		<-hold.Done() // by the next renewal
		want(ctx, t, url,
			`holdgate_holds{holdgate_lock="orders",.*} 0`,
			`holdgate_lost_total{holdgate_lock="orders",.*reason="session gone"} 1`,
			`holdgate_hold_duration_seconds_count{.*end="lost".*} 1`,
		)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// want fetches the page, and looks for these lines.
func want(ctx context.Context, t *testing.T, url string, lines ...string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", answer.Status, err)
	}
	for _, line := range lines {
		if !regexp.MustCompile(`(?m)^` + line + `$`).Match(page) {
			t.Errorf("no line %s in\n%s", line, page)
		}
	}
}
