package server_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server"
)

// The tests of this file are the table in docs/security.md.

// caller is one with a token that is its name, many times over.
func caller(name, verbs, prefix string) server.Caller {
	sum := sha256.Sum256([]byte(token(name)))
	c := server.Caller{Name: name, TokenSHA256: sum[:]}
	r := server.Right{Prefix: prefix}
	for verb := range strings.FieldsSeq(verbs) {
		r.Verbs = append(r.Verbs, server.Verb(verb))
	}
	c.Rights = []server.Right{r}
	return c
}

func token(name string) string { return strings.Repeat(name+".", 8) }

func as(name string) string { return "Authorization: Bearer " + token(name) }

func access(t testing.TB, callers ...server.Caller) *server.Access {
	t.Helper()
	a, err := server.NewAccess(callers)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestSecurityWithoutAToken(t *testing.T) {
	t.Parallel()
	s, at := start(t, memdriver.New(), &server.Options{Access: access(t, caller("a", "lock", ""))})
	targets := []string{"GET /v1/openapi.json", "GET /metrics", "GET /v1/nothing", "GET /v1"}
	for path, methods := range read(t, s.OpenAPI()).Paths {
		for method := range methods {
			targets = append(targets, strings.ToUpper(method)+" "+path)
		}
	}
	for _, target := range targets {
		method, path, _ := strings.Cut(target, " ")
		for _, header := range []string{"A: b", "Authorization: Bearer ", "Authorization: Bearer wrong", "Authorization: Basic " + token("a"), "Authorization: " + token("a")} {
			r := ask(t, method, at+path, "", header)
			if p := wantProblem(t, target, r); p.Code != api.CodeUnauthenticated || r.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q: got %+v, want to be asked who it is", target, header, p)
			}
		}
	}
}

func TestSecurityRights(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), &server.Options{Access: access(t,
		caller("billing", "lock get", "billing/"), caller("viewer", "read", "billing/"), caller("nobody", "read", "nothing/"))})
	billing := hand{T: t, at: at}.open(as("billing"))
	for name, test := range map[string]struct{ who, method, path, text string }{
		"lock of another team":        {"billing", "POST", "/v1/locks?name=orders&session=" + billing.session, ""},
		"a name that begins likewise": {"billing", "POST", "/v1/locks?name=billing&session=" + billing.session, ""},
		"try all, one of another":     {"billing", "POST", "/v1/sessions/" + billing.session + "/try", `{"claims":[{"line":"billing/a","kind":"mutex","capacity":1,"units":1},{"line":"b","kind":"mutex","capacity":1,"units":1}]}`},
		"enter":                       {"billing", "POST", "/v1/sessions/" + billing.session + "/places", `{"line":"orders","kind":"mutex","capacity":1,"units":1}`},
		"lock on a stream":            {"billing", "POST", "/v1/locks/stream?name=orders", ""},
		"campaign":                    {"billing", "POST", "/v1/elections?name=orders&value=x&session=" + billing.session, ""},
		"see without the right":       {"billing", "GET", "/v1/line?name=billing/a", ""},
		"evict without the right":     {"billing", "POST", "/v1/evictions", `{"line":"billing/a","place":"x"}`},
		"write without the right":     {"billing", "PUT", "/v1/config?key=billing/a", "x"},
		"read of another's settings":  {"billing", "GET", "/v1/config?key=orders", ""},
		"list of all settings":        {"billing", "GET", "/v1/entries", ""},
		"list of a part of the names": {"billing", "GET", "/v1/entries?prefix=holdgate.conf", ""},
		"the server's own key":        {"billing", "GET", "/v1/entry?key=holdgate.server/session-key", ""},
		"see all":                     {"viewer", "GET", "/v1/lines", ""},
		"see more than allowed":       {"viewer", "GET", "/v1/lines?prefix=bill", ""},
		"watch all":                   {"viewer", "GET", "/v1/watch", ""},
		"listen to all":               {"viewer", "GET", "/v1/events?prefix=b", ""},
		"a session without use":       {"viewer", "POST", "/v1/sessions", `{"ttl_ms":1000}`},
	} {
		if p := wantProblem(t, name, ask(t, test.method, at+test.path, test.text, as(test.who))); p.Code != api.CodeDenied {
			t.Errorf("%s: got %+v, want that it is denied", name, p)
		}
	}
	for name, test := range map[string]struct{ who, method, path string }{
		"its own lock":      {"billing", "POST", "/v1/locks?name=billing/a&session=" + billing.session},
		"see what it may":   {"viewer", "GET", "/v1/lines?prefix=billing/"},
		"its own settings":  {"billing", "GET", "/v1/entries?prefix=holdgate.config/billing/"},
		"what the store is": {"nobody", "GET", "/v1/features"},
	} {
		if r := ask(t, test.method, at+test.path, "", as(test.who)); r.StatusCode != http.StatusOK {
			t.Errorf("%s: got status %d: %s", name, r.StatusCode, body(t, r))
		}
	}
}

func TestSecuritySessionsAreTheirCallers(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), &server.Options{Access: access(t, caller("a", "lock", ""), caller("b", "lock", ""))})
	a := hand{T: t, at: at}.open(as("a"))
	a.decode(a.lock("orders", "", as("a")), http.StatusOK, nil)
	for _, target := range []string{"POST /v1/sessions/" + a.session + "/renew", "DELETE /v1/sessions/" + a.session, "GET /v1/sessions/" + a.session} {
		method, path, _ := strings.Cut(target, " ")
		if p := wantProblem(t, target, ask(t, method, at+path, "", as("b"))); p.Code != api.CodeInvalid {
			t.Errorf("%s by another caller: got %+v, want that it has no such session", target, p)
		}
		if r := ask(t, "GET", at+"/v1/sessions/"+a.session, "", as("a")); r.StatusCode != http.StatusOK {
			t.Fatalf("after %s by another caller: got status %d", target, r.StatusCode)
		}
	}
}

func TestSecurityEvictionsAreAudited(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	_, at := start(t, memdriver.New(), &server.Options{
		Access: access(t, caller("a", "lock", ""), caller("ops", "evict", "")),
		Audit:  slog.New(slog.NewTextHandler(&log, nil)),
	})
	a := hand{T: t, at: at}.open(as("a"))
	var p api.Place
	a.decode(a.lock("orders", "", as("a")), http.StatusOK, &p)
	text := fmt.Sprintf(`{"line":"orders","place":"%s","reason":"it hangs","by":"root","force":true}`, p.ID)
	a.decode(ask(t, http.MethodPost, at+"/v1/evictions", text, as("ops")), http.StatusNoContent, nil)
	for _, want := range []string{"caller=ops", `by="ops: root"`, `reason="it hangs"`, "force=true", "line=orders", "outcome=done", p.ID} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the audit log lacks %s: %s", want, log.String())
		}
	}
}

func TestSecuritySecretsAreNotLogged(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, at := start(t, memdriver.New(), &server.Options{Access: access(t, caller("a", "lock", "")), Logger: logger})
	a := hand{T: t, at: at}.open(as("a"))
	a.decode(a.lock("orders", "", as("a")), http.StatusOK, nil)
	ask(t, http.MethodPost, at+"/v1/sessions/"+a.session+"/renew", "", as("a"))
	ask(t, http.MethodGet, at+"/v1/line?name="+token("a"), "", as("a"))
	if !strings.Contains(log.String(), "caller=a") {
		t.Fatalf("nothing was logged: %s", log.String())
	}
	for what, secret := range map[string]string{"token": token("a"), "session's name": a.session} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the %s is in the log: %s", what, log.String())
		}
	}
}

func TestSecurityOtherSites(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), nil)
	for name, header := range map[string][]string{
		"a form":    {"Sec-Fetch-Site: cross-site", "Content-Type: application/x-www-form-urlencoded"},
		"an origin": {"Origin: https://evil.example"},
	} {
		r := ask(t, http.MethodPost, at+"/v1/sessions", `{"ttl_ms":1000}`, header...)
		if p := wantProblem(t, name, r); p.Code != api.CodeDenied {
			t.Errorf("%s of another site: got %+v, want that it is denied", name, p)
		}
	}
	for _, method := range []string{http.MethodOptions, http.MethodGet} {
		r := ask(t, method, at+"/v1/features", "", "Origin: https://evil.example", "Access-Control-Request-Method: POST")
		for name := range r.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: other sites are told %s: %s", method, name, r.Header.Get(name))
			}
		}
	}
}

func TestSecuritySizes(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), &server.Options{Limits: server.Limits{Body: 4096}})
	h := hand{T: t, at: at}.open()
	for name, test := range map[string]struct {
		r    func() *http.Response
		want int
	}{
		"a body": {func() *http.Response { return ask(t, "POST", at+"/v1/sessions", strings.Repeat(" ", 4097)) }, 413},
		"a name": {func() *http.Response { return h.lock(strings.Repeat("x", 513), "") }, 422},
		"an owner": {func() *http.Response {
			return ask(t, "POST", at+"/v1/sessions", `{"ttl_ms":1,"owner":"`+strings.Repeat("x", 300)+`"}`)
		}, 422},
		"a wait": {func() *http.Response { return h.lock("x", "&wait="+strings.Repeat("9", 40)) }, 422},
		"a key":  {func() *http.Response { return h.lock("x", "", "Idempotency-Key: "+strings.Repeat("k", 300)) }, 422},
		"many claims": {func() *http.Response {
			return ask(t, "POST", at+"/v1/sessions/"+h.session+"/try", `{"claims":[`+strings.Repeat("{},", 60)+`{}]}`)
		}, 422},
	} {
		if r := test.r(); r.StatusCode != test.want {
			t.Errorf("%s: got status %d: %s, want %d", name, r.StatusCode, body(t, r), test.want)
		}
	}
	r := ask(t, http.MethodGet, at+"/v1/features", "", "A: "+strings.Repeat("h", 32<<10))
	if r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header: got status %d, want that it is too large", r.StatusCode)
	}
}

func TestSecurityQuotas(t *testing.T) {
	t.Parallel()
	few := caller("few", "lock read", "")
	few.Sessions, few.Places, few.Listeners = 2, 2, 1
	_, at := start(t, memdriver.New(), &server.Options{Access: access(t, few, caller("other", "lock", ""))})
	a, b := hand{T: t, at: at}.open(as("few")), hand{T: t, at: at}.open(as("few"))
	if p := wantProblem(t, "a session too many", ask(t, "POST", at+"/v1/sessions", `{"ttl_ms":1000}`, as("few"))); p.Code != api.CodeLimit {
		t.Errorf("got %+v, want the limit", p)
	}
	var first api.Place
	a.decode(a.lock("x", "", as("few")), http.StatusOK, &first)
	b.decode(b.lock("y", "", as("few")), http.StatusOK, nil)
	if p := wantProblem(t, "a place too many", a.lock("z", "", as("few"))); p.Code != api.CodeLimit {
		t.Errorf("got %+v, want the limit", p)
	}
	a.decode(ask(t, "DELETE", at+"/v1/locks?name=x&session="+a.session+"&token="+first.Token, "", as("few")), http.StatusNoContent, nil)
	a.decode(a.lock("z", "", as("few")), http.StatusOK, nil)
	b.decode(ask(t, "DELETE", at+"/v1/sessions/"+b.session, "", as("few")), http.StatusNoContent, nil)
	a.decode(a.lock("y", "", as("few")), http.StatusOK, nil)
	events(t, ask(t, "GET", at+"/v1/events", "", as("few"))).next(&api.Snapshot{})
	if p := wantProblem(t, "a stream too many", ask(t, "GET", at+"/v1/events", "", as("few"))); p.Code != api.CodeLimit {
		t.Errorf("got %+v, want the limit", p)
	}
	hand{T: t, at: at}.open(as("other"))
}

// A client that sends its request byte by byte, or its header and then nothing, is hung up
// on: it holds a connection, and not for long.
func TestSecuritySlowClients(t *testing.T) {
	t.Parallel()
	_, at := start(t, memdriver.New(), &server.Options{Limits: server.Limits{Read: 200 * time.Millisecond}})
	host := strings.TrimPrefix(at, "http://")
	for name, text := range map[string]string{
		"half a header": "GET /v1/features HTTP/1.1\r\nHost: x\r\n",
		"half a body":   "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, text); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			if _, err := io.ReadAll(conn); err != nil {
				t.Errorf("the server did not hang up: %v", err)
			}
		})
	}
}

// A client that does not read its stream is dropped, and its place is free for others.
func TestSecuritySlowListeners(t *testing.T) {
	t.Parallel()
	store := memdriver.NewStore()
	fill(t, store, 3000)
	_, at := start(t, store.Connect(nil), &server.Options{Limits: server.Limits{Write: 100 * time.Millisecond, Listeners: 1}})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(at, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(io.LimitReader(conn, 64)).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(patience); time.Now().Before(until); {
		r := ask(t, http.MethodGet, at+"/v1/events?name=none", "")
		_ = r.Body.Close()
		if r.StatusCode == http.StatusOK {
			return
		}
	}
	t.Error("a listener that does not read is never dropped")
}

// fill puts many places with much data into a store: more than the buffers of a
// connection take.
func fill(t *testing.T, store *memdriver.Store, lines int) {
	t.Helper()
	ses, err := store.Connect(nil).Open(t.Context(), driver.SessionOptions{TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	data := []byte(`"` + strings.Repeat("d", 4000) + `"`)
	for i := range lines {
		c := driver.Claim{Line: "line/" + itoa(i), ID: fmt.Sprintf("%032x", i), Kind: driver.KindMutex, Capacity: 1, Units: 1, Data: data}
		if _, err := ses.Enter(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// safeBuffer is a buffer that a logger may write to while a test reads it.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestAccessFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("good.token", token("secret")+"\n")
	write("short.token", "secret")
	env := func(name string) string { return map[string]string{"TOKEN": token("secret")}[name] }
	right := `"allow":[{"verbs":["lock"],"prefix":""}]`
	for name, text := range map[string]string{
		"a file":        `{"callers":[{"name":"a","token_file":"good.token",` + right + `}]}`,
		"a variable":    `{"callers":[{"name":"a","token_variable":"TOKEN",` + right + `}]}`,
		"a hash":        `{"callers":[{"name":"a","token_sha256":"` + strings.Repeat("0f", 32) + `",` + right + `}]}`,
		"a certificate": `{"callers":[{"name":"a","certificate":"a.example",` + right + `}]}`,
		"nobody":        `{"callers":[]}`,
	} {
		if _, err := server.ReadAccess(write("access.json", text), env); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, test := range map[string]struct{ text, want string }{
		"no JSON":          {`{"callers":`, "access.json"},
		"two of it":        {`{"callers":[]} {}`, "behind the JSON"},
		"an unknown field": {`{"callers":[{"name":"a","token":"secret"}]}`, `unknown field "token"`},
		"no secret":        {`{"callers":[{"name":"a",` + right + `}]}`, "neither a token nor a certificate"},
		"two secrets":      {`{"callers":[{"name":"a","token_file":"good.token","token_variable":"TOKEN"}]}`, "is enough"},
		"a short token":    {`{"callers":[{"name":"a","token_file":"short.token"}]}`, "less than 16"},
		"no file":          {`{"callers":[{"name":"a","token_file":"none"}]}`, "no such file"},
		"no variable":      {`{"callers":[{"name":"a","token_variable":"NONE"}]}`, "less than 16"},
		"a verb":           {`{"callers":[{"name":"a","certificate":"a","allow":[{"verbs":["rule"],"prefix":""}]}]}`, `"rule"`},
		"no prefix":        {`{"callers":[{"name":"a","certificate":"a","allow":[{"verbs":["lock"]}]}]}`, "no prefix"},
		"a name twice":     {`{"callers":[{"name":"a","certificate":"a"},{"name":"a","certificate":"b"}]}`, `two callers are named "a"`},
		"no name":          {`{"callers":[{"certificate":"a"}]}`, "name is UTF-8"},
		"a hash of 3":      {`{"callers":[{"name":"a","token_sha256":"0f0f0f"}]}`, "64 hexadecimal digits"},
	} {
		_, err := server.ReadAccess(write("access.json", test.text), env)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret.") {
			t.Errorf("%s: got the error %v, want one with %q and no secret", name, err, test.want)
		}
	}
}
