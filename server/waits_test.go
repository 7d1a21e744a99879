package server_test

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/server"
)

// stand enters a lock, with what its place tells.
func stand(t *testing.T, s driver.Session, line, id, data string) driver.Place {
	t.Helper()
	c := driver.Claim{Line: line, ID: strings.Repeat("0", 32-len(id)) + id, Kind: driver.KindMutex, Capacity: 1, Units: 1}
	if data != "" {
		c.Data = []byte(data)
	}
	p, err := s.Enter(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func openSession(t *testing.T, drv driver.Driver, owner string) driver.Session {
	t.Helper()
	s, err := drv.Open(t.Context(), driver.SessionOptions{TTL: time.Minute, Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func getJSON[T any](t *testing.T, url string) T {
	t.Helper()
	answer := ask(t, http.MethodGet, url, "")
	text := body(t, answer)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %s", url, answer.StatusCode, text)
	}
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("GET %s: %v in %s", url, err, text)
	}
	return v
}

func TestWaits(t *testing.T) {
	t.Parallel()
	drv := memdriver.NewStore().Connect(nil)
	_, url := start(t, drv, nil)
	ann, bob := openSession(t, drv, "ann"), openSession(t, drv, "bob")
	x := stand(t, ann, "a/x", "1", "")
	y := stand(t, bob, "b/y", "2", "")
	stand(t, ann, "b/y", "3", `{"under":"`+x.ID+`"}`)
	if got := getJSON[server.Waits](t, url+"/v1/waits"); len(got.Cycles) != 0 {
		t.Errorf("one waits, and %+v is found", got)
	}
	stand(t, bob, "a/x", "4", `{"under":"`+y.ID+`"}`)
	// The watch that is looked into may be a moment behind.
	var got server.Waits
	for end := time.Now().Add(patience); len(got.Cycles) == 0 && time.Now().Before(end); {
		got = getJSON[server.Waits](t, url+"/v1/waits")
	}
	if len(got.Cycles) != 1 || !got.Cycles[0].Certain || len(got.Cycles[0].Steps) != 2 {
		t.Fatalf("a deadlock of two is found as %+v", got)
	}
	for _, s := range got.Cycles[0].Steps {
		if s.Holds.Owner != s.Waits.Owner || s.Holds.Line == s.Waits.Line || !s.Holds.Granted || s.Waits.Granted {
			t.Errorf("the step %+v is not of one who holds the one and waits for the other", s)
		}
	}
	if got := getJSON[server.Waits](t, url+"/v1/waits?prefix=a/"); len(got.Cycles) != 0 {
		t.Errorf("among half of the lines there is no circle, and %+v is found", got)
	}
}

func TestTimings(t *testing.T) {
	t.Parallel()
	drv := memdriver.NewStore().Connect(nil)
	_, url := start(t, drv, &server.Options{History: true})
	_ = getJSON[server.Waits](t, url+"/v1/waits") // answers once the server looks on
	ann := openSession(t, drv, "ann")
	p := stand(t, ann, "x", "1", "")
	await := func(want func(server.History) bool) server.History {
		t.Helper()
		for end := time.Now().Add(patience); time.Now().Before(end); {
			if h := getJSON[server.History](t, url+"/v1/history?name=x"); want(h) {
				return h
			}
		}
		t.Fatal("what was done is not in the history")
		return server.History{}
	}
	await(func(h server.History) bool { return len(h.Standing) == 1 && h.Standing[0].Held != nil })
	if err := ann.Leave(t.Context(), "x", p.ID); err != nil {
		t.Fatal(err)
	}
	h := await(func(h server.History) bool { return len(h.Grants) == 1 })
	if h.Grants[0].Owner != "ann" || h.Grants[0].Place != p.ID {
		t.Errorf("the grant is told as %+v", h.Grants[0])
	}
	got := getJSON[server.Timings](t, url+"/v1/timings?name=x&name=nobody")
	if len(got.Lines) != 1 || got.Lines[0].Grants != 1 || got.Lines[0].Hold50 == nil {
		t.Errorf("timings %+v", got)
	}
}

func TestNoHistory(t *testing.T) {
	t.Parallel()
	_, url := start(t, memdriver.New(), nil)
	for _, path := range []string{"/v1/timings?name=x", "/v1/history?name=x"} {
		if answer := ask(t, http.MethodGet, url+path, ""); answer.StatusCode != http.StatusNotImplemented {
			t.Errorf("%s answers %d where no history is kept, want 501", path, answer.StatusCode)
		}
	}
}

// Who may not see a line may not see what it was like, nor who waits for it.
func TestHistoryIsForThoseWhoMayRead(t *testing.T) {
	t.Parallel()
	token := "a-token-of-a-person-who-looks"
	sum := sha256.Sum256([]byte(token))
	access, err := server.NewAccess([]server.Caller{{
		Name: "carl", TokenSHA256: sum[:], Rights: []server.Right{{Verbs: []server.Verb{server.VerbRead}, Prefix: "orders/"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, url := start(t, memdriver.New(), &server.Options{History: true, Access: access})
	for path, want := range map[string]int{
		"/v1/timings?name=orders/1": http.StatusOK, "/v1/timings?name=orders/1&name=x": http.StatusForbidden,
		"/v1/history?name=orders/1": http.StatusOK, "/v1/history?name=x": http.StatusForbidden,
		"/v1/waits?prefix=orders/": http.StatusOK, "/v1/waits": http.StatusForbidden,
	} {
		if answer := ask(t, http.MethodGet, url+path, "", "Authorization: Bearer "+token); answer.StatusCode != want {
			t.Errorf("%s answers %d, want %d", path, answer.StatusCode, want)
		}
		if answer := ask(t, http.MethodGet, url+path, ""); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s answers %d to nobody, want 401", path, answer.StatusCode)
		}
	}
}
