package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver"
	"github.com/holdgate/holdgate/server"
)

// patience is how long a test waits for what must come: far beyond what it takes.
const patience = 30 * time.Second

// start serves a store on the loopback, and returns the server and its address.
func start(t testing.TB, drv driver.Driver, o *server.Options) (*server.Server, string) {
	t.Helper()
	s, err := server.New(drv, o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(s)
	h.Config = s.HTTPServer()
	h.Start()
	t.Cleanup(func() {
		_ = s.Close()
		h.Close()
	})
	return s, h.URL
}

// dial returns a handle on the store behind the servers, and its link.
func dial(t testing.TB, servers ...string) (*remotedriver.Driver, *link) {
	t.Helper()
	l := newLink(t)
	d, err := remotedriver.New(t.Context(), servers, &remotedriver.Options{Transport: l})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, l
}

// link is the way from a client to its servers.
type link struct {
	over *http.Transport
	lose atomic.Bool // the next answer to what may write

	mu      sync.Mutex
	stalled chan struct{} // closed when the way is open again
	cut     bool
	refused string
}

func newLink(t testing.TB) *link {
	l := &link{over: &http.Transport{MaxIdleConnsPerHost: 64}}
	t.Cleanup(l.over.CloseIdleConnections)
	return l
}

var (
	errCut  = errors.New("the way is cut")
	errLost = errors.New("the answer was lost")
)

func (l *link) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	stalled, cut := l.stalled, l.cut || l.refused != "" && strings.HasPrefix(r.URL.String(), l.refused)
	l.mu.Unlock()
	if cut {
		return nil, errCut
	}
	if stalled != nil {
		select {
		case <-stalled:
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	answer, err := l.over.RoundTrip(r)
	if err == nil && r.Method != http.MethodGet && l.lose.CompareAndSwap(true, false) {
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		return nil, errLost
	}
	return answer, err
}

// stall lets nothing through until resume is called.
func (l *link) stall() (resume func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	open := make(chan struct{})
	l.stalled = open
	return sync.OnceFunc(func() {
		l.mu.Lock()
		l.stalled = nil
		l.mu.Unlock()
		close(open)
	})
}

func (l *link) sever() (heal func()) {
	set := func(cut bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cut = cut
	}
	set(true)
	return func() { set(false) }
}

// body is the text of a body.
func body(t testing.TB, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("read an answer: %v", err)
	}
	return string(text)
}

// ask makes a request. The header is "Name: value" lines.
func ask(t testing.TB, method, url, text string, header ...string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// refuse lets nothing through to one server, as if it were not there.
func (l *link) refuse(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = server
}
