package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server"
)

// unattachable is a store whose sessions end with their handle.
type unattachable struct{ *memdriver.Driver }

func (u unattachable) Features() driver.Features {
	f := u.Driver.Features()
	f.Attach = false
	return f
}

// A client goes on with the next server when its own is gone: it still holds, and stands in
// line where it stood.
func TestServerIsGone(t *testing.T) {
	t.Parallel()
	store := memdriver.NewStore()
	first, one := start(t, store.Connect(nil), nil)
	_, two := start(t, store.Connect(nil), nil)
	mine, way := dial(t, one, two)
	ctx := t.Context()
	ses, err := mine.Open(ctx, driver.SessionOptions{TTL: time.Minute, Owner: "me"})
	if err != nil {
		t.Fatal(err)
	}
	claim := driver.Claim{Line: "orders", ID: "00000000000000000000000000000001", Kind: driver.KindMutex, Capacity: 1, Units: 1}
	held, err := ses.Enter(ctx, claim)
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	way.refuse(one)
	if _, err := ses.Renew(ctx); err != nil {
		t.Errorf("Renew through the next server: %v", err)
	}
	again, err := ses.Enter(ctx, claim)
	if err != nil || again.Order != held.Order {
		t.Errorf("entered again: got the order %d, error %v, want %d", again.Order, err, held.Order)
	}
	if err := ses.Leave(ctx, claim.Line, claim.ID); err != nil {
		t.Errorf("Leave through the next server: %v", err)
	}
}

// A session that the store lets nobody carry on is not taken for lost by another server: it
// may well live.
func TestSessionOfAnotherServer(t *testing.T) {
	t.Parallel()
	store := memdriver.NewStore()
	_, one := start(t, unattachable{store.Connect(nil)}, nil)
	_, two := start(t, unattachable{store.Connect(nil)}, nil)
	h := hand{T: t, at: one}.open()
	h.at = two
	p := wantProblem(t, "a session of another server", h.lock("orders", ""))
	if p.Code != api.CodeMisdirected || p.Status != http.StatusMisdirectedRequest {
		t.Errorf("got %+v, want misdirected", p)
	}
	h.at = one
	h.take("orders", "")
}

// Only its client has what lets somebody use a session: its ID is shown to everybody.
func TestSessionsCannotBeGuessed(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	h := hand{T: t, at: at}.open()
	p := h.take("orders", "")
	for _, name := range []string{p.Session, p.Session + ".", p.Session + ".AAAAAAAAAAAAAAAAAAAAAA", "x", "."} {
		r := ask(t, http.MethodDelete, at+"/v1/sessions/"+name, "")
		if r.StatusCode != http.StatusUnprocessableEntity && r.StatusCode != http.StatusNotFound {
			t.Errorf("the session by the name %q: got status %d: %s", name, r.StatusCode, body(t, r))
		}
	}
	if r := h.release("orders", "&token="+p.Token); r.StatusCode != http.StatusNoContent {
		t.Errorf("the session has suffered: got status %d: %s", r.StatusCode, body(t, r))
	}
}

// Where sessions do not expire by time, the server ends those whose clients are gone.
func TestServerEndsWhatDoesNotExpire(t *testing.T) {
	t.Parallel()
	_, at := start(t, immortal{memdriver.New()}, nil)
	var s api.Session
	h := hand{T: t, at: at}
	h.decode(ask(t, http.MethodPost, at+"/v1/sessions", `{"ttl_ms":500}`), http.StatusCreated, &s)
	h.session = s.Session
	h.take("orders", "")
	other := hand{T: t, at: at}.open()
	other.take("orders", "&wait=25s")
}

// immortal is a store whose sessions do not expire by time.
type immortal struct{ *memdriver.Driver }

func (i immortal) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	o.TTL = time.Hour
	s, err := i.Driver.Open(ctx, o)
	return immortalSession{s}, err
}

func (i immortal) Features() driver.Features { return unattachable(i).Features() }

type immortalSession struct{ driver.Session }

func (immortalSession) TTL() time.Duration { return 0 }

// A server that drains sends waits away, and loses nothing.
func TestDrain(t *testing.T) {
	t.Parallel()
	store := memdriver.NewStore()
	s, at := start(t, store.Connect(nil), nil)
	_, next := start(t, store.Connect(nil), nil)
	a, b := hand{T: t, at: at}.open(), hand{T: t, at: at}.open()
	held := a.take("orders", "")
	answer := make(chan *http.Response, 1)
	go func() { answer <- b.lock("orders", "&wait=25s", "Idempotency-Key: job") }()
	stands(t, store, "orders", 2)
	s.Drain()
	p := wantProblem(t, "a wait at a server that drains", <-answer)
	if p.Code != api.CodeDraining {
		t.Errorf("got %+v, want draining", p)
	}
	if r := ask(t, http.MethodGet, at+"/readyz", ""); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a server that drains is ready: got status %d", r.StatusCode)
	}
	a.decode(a.release("orders", "&token="+held.Token), http.StatusNoContent, nil)
	b.at = next
	b.take("orders", "&wait=20s", "Idempotency-Key: job")
}

// stands waits until so many stand in a line.
func stands(t *testing.T, store *memdriver.Store, line string, n int) {
	t.Helper()
	for snap, err := range store.Connect(nil).Watch(t.Context(), driver.Query{Name: line}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(snap.Lines) == 1 && len(snap.Lines[0].Places) == n {
			return
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	store := memdriver.New()
	_, at := start(t, store, &server.Options{Access: access(t, caller("a", "lock", ""))})
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/": 404} {
		if r := ask(t, http.MethodGet, at+path, ""); r.StatusCode != want {
			t.Errorf("%s: got status %d, want %d", path, r.StatusCode, want)
		}
	}
	store.SetLink(memdriver.LinkRefuses)
	if r := ask(t, http.MethodGet, at+"/readyz", ""); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without the store: got status %d, want that it is not ready", r.StatusCode)
	}
	if r := ask(t, http.MethodGet, at+"/healthz", ""); r.StatusCode != http.StatusOK {
		t.Errorf("without the store: got status %d, want that it is healthy: to start it again would not help", r.StatusCode)
	}
}
