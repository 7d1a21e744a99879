package server_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

func itoa(n int) string { return strconv.Itoa(n) }

// hand is somebody who writes requests by hand.
type hand struct {
	*testing.T
	at      string
	session string
}

// open opens a session.
func (h hand) open(header ...string) hand {
	h.Helper()
	var s api.Session
	h.decode(ask(h.T, http.MethodPost, h.at+"/v1/sessions", `{"ttl_ms":60000,"owner":"by hand"}`, header...), http.StatusCreated, &s)
	h.session = s.Session
	return h
}

func (h hand) decode(r *http.Response, status int, v any) {
	h.Helper()
	text := body(h.T, r)
	if r.StatusCode != status {
		h.Fatalf("%s %s: got status %d: %s, want %d", r.Request.Method, r.Request.URL, r.StatusCode, text, status)
	}
	if v != nil {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			h.Fatal(err)
		}
	}
}

// lock asks for a lock. The parameters are a query.
func (h hand) lock(name, params string, header ...string) *http.Response {
	h.Helper()
	return ask(h.T, http.MethodPost, h.at+"/v1/locks?name="+url.QueryEscape(name)+"&session="+h.session+params, "", header...)
}

func (h hand) release(name, params string) *http.Response {
	h.Helper()
	return ask(h.T, http.MethodDelete, h.at+"/v1/locks?name="+url.QueryEscape(name)+"&session="+h.session+params, "")
}

func (h hand) take(name, params string, header ...string) api.Place {
	h.Helper()
	var p api.Place
	r := h.lock(name, params, header...)
	h.decode(r, http.StatusOK, &p)
	if !p.Granted || p.Token == "" || r.Header.Get(api.HeaderToken) != p.Token {
		h.Errorf("got the place %+v and the header %q, want it granted, with its token in both", p, r.Header.Get(api.HeaderToken))
	}
	return p
}

func TestTryAndRelease(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	a, b := hand{T: t, at: at}.open(), hand{T: t, at: at}.open()
	p := a.take("orders/42", "&reason=nightly")
	busy := wantProblem(t, "a try of a lock that is held", b.lock("orders/42", ""))
	if busy.Code != api.CodeBusy || busy.Holder == nil || busy.Holder.ID != p.ID || busy.Ahead != 1 {
		t.Errorf("got %+v, want busy, and its holder", busy)
	}
	if r := b.release("orders/42", "&token="+p.Token); r.StatusCode != http.StatusNotFound {
		t.Errorf("another session releases by the token: got status %d", r.StatusCode)
	}
	a.decode(a.release("orders/42", "&token="+p.Token), http.StatusNoContent, nil)
	next := b.take("orders/42", "")
	if smaller(next.Token, p.Token) {
		t.Errorf("the next token is %s, after %s", next.Token, p.Token)
	}
	if gone := wantProblem(t, "released twice", a.release("orders/42", "&token="+p.Token)); gone.Code != api.CodeGone {
		t.Errorf("got %+v, want gone", gone)
	}
}

func smaller(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// A wait that is over keeps its place, for who asks again by the ticket or under the key.
func TestWaitKeepsItsPlace(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(ticket string) (params, header string){
		"by the ticket": func(ticket string) (string, string) { return "&ticket=" + ticket, "A: b" },
		"by the key":    func(string) (string, string) { return "", "Idempotency-Key: job 7" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, at := start(t, memdriver.New(), nil)
			a, b := hand{T: t, at: at}.open(), hand{T: t, at: at}.open()
			held := a.take("orders", "")
			waiting := wantProblem(t, "a wait that is over", b.lock("orders", "&wait=10ms", "Idempotency-Key: job 7"))
			if waiting.Code != api.CodeWaiting || waiting.Ticket == "" || waiting.Ahead != 1 || waiting.Holder.ID != held.ID {
				t.Fatalf("got %+v, want waiting, a ticket and who is ahead", waiting)
			}
			a.decode(a.release("orders", "&ticket="+held.ID), http.StatusNoContent, nil)
			params, header := again(waiting.Ticket)
			if p := b.take("orders", "&wait=20s"+params, header); p.ID != waiting.Ticket {
				t.Errorf("got the place %s, want %s, which stood in line", p.ID, waiting.Ticket)
			}
		})
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	a, b := hand{T: t, at: at}.open(), hand{T: t, at: at}.open()
	a.take("catalog", "&mode=read")
	b.take("catalog", "&mode=read")
	if p := wantProblem(t, "a writer beside readers", b.lock("catalog", "&mode=write")); p.Code != api.CodeBusy {
		t.Errorf("got %+v, want busy", p)
	}
	a.take("gpu", "&permits=3&limit=4")
	b.take("gpu", "&limit=4")
	if p := wantProblem(t, "a permit too many", b.lock("gpu", "&limit=4")); p.Code != api.CodeBusy {
		t.Errorf("got %+v, want busy", p)
	}
	if p := wantProblem(t, "another kind", b.lock("gpu", "&wait=1s")); p.Code != api.CodeMismatch {
		t.Errorf("got %+v, want mismatch", p)
	}
	if p := wantProblem(t, "permits of a mutex", b.lock("x", "&permits=2")); p.Code != api.CodeInvalid {
		t.Errorf("got %+v, want invalid", p)
	}
}

func TestElection(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	a, b := hand{T: t, at: at}.open(), hand{T: t, at: at}.open()
	var lead api.Place
	a.decode(ask(t, http.MethodPost, at+"/v1/elections?name=indexer&value=a:80&session="+a.session, ""), http.StatusOK, &lead)
	second := wantProblem(t, "a second candidate", ask(t, http.MethodPost, at+"/v1/elections?name=indexer&value=b:80&wait=10ms&session="+b.session, ""))
	var e struct {
		Leader     *api.Place
		Candidates []api.Place
	}
	a.decode(ask(t, http.MethodGet, at+"/v1/elections?name=indexer", ""), http.StatusOK, &e)
	if e.Leader == nil || string(e.Leader.Data) != `{"value":"a:80"}` || len(e.Candidates) != 1 || e.Candidates[0].ID != second.Ticket {
		t.Errorf("got %+v, want a to lead and b to stand", e)
	}
	a.decode(a.release("indexer", "&token="+lead.Token), http.StatusNoContent, nil)
	a.decode(ask(t, http.MethodGet, at+"/v1/elections?name=indexer", ""), http.StatusOK, &e)
	if e.Leader == nil || string(e.Leader.Data) != `{"value":"b:80"}` {
		t.Errorf("after the leader resigned got %+v, want b to lead", e.Leader)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	h, key := hand{T: t, at: at}, at+"/v1/config?key=billing/limit"
	first := ask(t, http.MethodPut, key, "100 per hour", "If-None-Match: *")
	h.decode(first, http.StatusNoContent, nil)
	r := ask(t, http.MethodGet, key, "")
	if got := body(t, r); got != "100 per hour" || r.Header.Get("ETag") != first.Header.Get("ETag") || r.Header.Get("ETag") == "" {
		t.Errorf("got %q with the tag %s, want what was written with %s", got, r.Header.Get("ETag"), first.Header.Get("ETag"))
	}
	if p := wantProblem(t, "a second first", ask(t, http.MethodPut, key, "x", "If-None-Match: *")); p.Code != api.CodeConflict {
		t.Errorf("got %+v, want a conflict", p)
	}
	h.decode(ask(t, http.MethodPut, key, "200", "If-Match: "+first.Header.Get("ETag")), http.StatusNoContent, nil)
	if p := wantProblem(t, "over an old version", ask(t, http.MethodDelete, key, "", "If-Match: "+first.Header.Get("ETag"))); p.Code != api.CodeConflict {
		t.Errorf("got %+v, want a conflict", p)
	}
	h.decode(ask(t, http.MethodDelete, key, ""), http.StatusNoContent, nil)
	if p := wantProblem(t, "what was deleted", ask(t, http.MethodGet, key, "")); p.Code != api.CodeGone {
		t.Errorf("got %+v, want gone", p)
	}
}

// sseReader reads the events of a stream.
type sseReader struct {
	*testing.T
	lines *bufio.Scanner
}

func events(t *testing.T, r *http.Response) sseReader {
	t.Helper()
	if kind := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("got status %d of type %q, want a stream: %s", r.StatusCode, kind, body(t, r))
	}
	return sseReader{t, bufio.NewScanner(r.Body)}
}

// next is the next event. Comments are left out.
func (s sseReader) next(v any) (event, id string) {
	s.Helper()
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "id":
			id = value
		case "data":
			if err := json.Unmarshal([]byte(value), v); err != nil {
				s.Fatalf("the data of %q: %v", event, err)
			}
			return event, id
		}
	}
	s.Fatalf("the stream ended: %v", s.lines.Err())
	return "", ""
}

// A lock that is bound to a stream is held as long as the connection lasts.
func TestLockOnAStream(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	other := hand{T: t, at: at}.open()
	r := ask(t, http.MethodPost, at+"/v1/locks/stream?name=orders&owner=curl", "")
	stream := events(t, r)
	var opened api.Session
	if event, _ := stream.next(&opened); event != api.EventSession || opened.ID == "" {
		t.Errorf("got the event %q with %+v, want the session", event, opened)
	}
	var p api.Place
	if event, _ := stream.next(&p); event != api.EventGranted || !p.Granted || p.Session != opened.ID {
		t.Errorf("got the event %q with %+v, want the grant", event, p)
	}
	if busy := wantProblem(t, "a try", other.lock("orders", "")); busy.Code != api.CodeBusy {
		t.Errorf("got %+v, want busy", busy)
	}
	_ = r.Body.Close() // the client is gone
	other.take("orders", "&wait=20s")
}

// The holder on a stream is told who wants the lock.
func TestStreamTellsOfEvictions(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	stream := events(t, ask(t, http.MethodPost, at+"/v1/locks/stream?name=orders&ttl=1s", ""))
	var p api.Place
	stream.next(&struct{}{})
	stream.next(&p)
	text := `{"line":"orders","place":"` + p.ID + `","reason":"maintenance","by":"ops"}`
	hand{T: t}.decode(ask(t, http.MethodPost, at+"/v1/evictions", text), http.StatusNoContent, nil)
	var e api.Eviction
	if event, _ := stream.next(&e); event != api.EventEviction || e.Reason != "maintenance" || e.By != "ops" {
		t.Errorf("got the event %q with %+v, want the eviction", event, e)
	}
}
