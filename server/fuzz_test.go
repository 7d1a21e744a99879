package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server"
)

// FuzzRequest sends anything at all. Whatever that is, nothing panics, and every answer is a
// success, or a problem that says so in its status, its type and its code. Waits are
// bounded by the server, streams by a client that has gone.
func FuzzRequest(f *testing.F) {
	place := `{"line":"a","id":"00000000000000000000000000000001","kind":"mutex","capacity":1,"units":1}`
	for _, seed := range []struct{ method, target, header, body string }{
		{"GET", "/v1/features", "", ""},
		{"POST", "/v1/sessions", "", `{"ttl_ms":1000,"owner":"me"}`},
		{"POST", "/v1/sessions", "", `{"ttl_ms":9223372036854775807}`},
		{"POST", "/v1/sessions", "Content-Type: text/plain", `{"ttl_ms":1e400}`},
		{"POST", "/v1/sessions/SESSION/places", "", place},
		{"POST", "/v1/sessions/SESSION/places", "Idempotency-Key: k", `{"line":"a","kind":"mutex","capacity":1,"units":1,"data":{"x":[1,"<&>"]}}`},
		{"POST", "/v1/sessions/SESSION/try", "", `{"claims":[` + place + `]}`},
		{"GET", "/v1/sessions/SESSION/places/00000000000000000000000000000001/wait?name=a&order=1&wait=1ms", "", ""},
		{"PATCH", "/v1/sessions/SESSION/places/00000000000000000000000000000001", "", `{"line":"a","units":0,"version":"18446744073709551615"}`},
		{"POST", "/v1/sessions/SESSION/places/00000000000000000000000000000001/swap", "", place},
		{"DELETE", "/v1/sessions/SESSION/places/%2e%2e?name=%00", "", ""},
		{"POST", "/v1/locks?name=a&session=SESSION&wait=1ms&mode=read", "", ""},
		{"DELETE", "/v1/locks?name=a&session=SESSION&token=256", "", ""},
		{"POST", "/v1/locks/stream?name=a&ttl=1s", "", ""},
		{"POST", "/v1/elections?name=e&value=v&session=SESSION", "", ""},
		{"GET", "/v1/line?name=%ff", "", ""},
		{"GET", "/v1/lines?prefix=%F0%9F%92%A9", "", ""},
		{"GET", "/v1/watch?name=a", "", ""},
		{"GET", "/v1/events?prefix=a", "Last-Event-ID: x-1", ""},
		{"POST", "/v1/evictions", "", `{"line":"a","place":"x","reason":"\ud800"}`},
		{"PUT", "/v1/entry", "", `{"key":"k","value":"////","if_version":"0","ttl_ms":1}`},
		{"GET", "/v1/entries?key=k", "", ""},
		{"PUT", "/v1/config?key=k", "If-Match: \"1", "\xff\xfe"},
		{"GET", "/v1//lines", "Authorization: Bearer x", ""},
		{"GET", "/v1/lines/../features", "Accept: text/html;q=\x00", ""},
		{"BREW", "/v1/features?x=1&x=2;y", "", "{"},
		{"POST", "/v1/sessions", "Origin: null", "[]"},
		{"POST", "/v1/sessions", "", strings.Repeat("[", 10_000)},
	} {
		f.Add(seed.method, seed.target, seed.header, seed.body)
	}
	s := fuzzed(f)
	f.Fuzz(func(t *testing.T, method, target, header, body string) {
		r := s.request(method, target, header, body)
		if r == nil {
			t.Skip("net/http itself refuses such a request")
		}
		// The client has gone a moment later: that ends streams, and what waits.
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, r.WithContext(ctx))
		s.check(t, w)
	})
}

// target is a server that is sent anything.
type target struct {
	server  *server.Server
	session string
}

func fuzzed(tb testing.TB) target {
	tb.Helper()
	// Few places: a line that grows with every request makes each one dearer.
	s, err := server.New(memdriver.New(), &server.Options{Limits: server.Limits{Body: 16 << 10, Places: 50}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/sessions", strings.NewReader(`{"ttl_ms":3600000}`)))
	var opened api.Session
	if err := json.Unmarshal(w.Body.Bytes(), &opened); err != nil {
		tb.Fatalf("open a session: %v: %s", err, w.Body)
	}
	return target{s, opened.Session}
}

// request is a request as net/http hands it on, or nil where it does not.
func (s target) request(method, target, header, body string) *http.Request {
	u, err := url.ParseRequestURI(strings.ReplaceAll(target, "SESSION", s.session))
	if err != nil || !strings.HasPrefix(target, "/") || !isToken(method) {
		return nil
	}
	r, err := http.NewRequest(method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil
	}
	r.URL, r.RequestURI, r.Host, r.RemoteAddr = u, u.RequestURI(), "localhost", "127.0.0.1:1"
	if name, value, ok := strings.Cut(header, ": "); ok && isToken(name) && !strings.ContainsAny(value, "\r\n\x00") {
		r.Header.Set(name, value)
	}
	return r
}

func isToken(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

func (s target) check(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code >= 200 && w.Code < 300 {
		return
	}
	var p api.Problem
	dec := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		t.Fatalf("status %d: %v: %q", w.Code, err, w.Body)
	}
	if p.Status != w.Code || p.Code == "" || w.Header().Get("Content-Type") != api.ContentType {
		t.Errorf("status %d of type %q with the problem %+v", w.Code, w.Header().Get("Content-Type"), p)
	}
	if p.Code == api.CodeInternal {
		t.Errorf("a fault of the server: %+v", p)
	}
}
