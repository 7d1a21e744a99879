package httpfence_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/httpfence"
)

// serve starts a server whose handler says whose pass it got.
func serve(t *testing.T, o *httpfence.Options) (url string, client *http.Client) {
	t.Helper()
	s := httptest.NewServer(httpfence.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := fence.FromContext(r.Context())
		if err != nil {
			t.Errorf("the handler has no pass: %v", err)
		}
		_, _ = io.WriteString(w, p.Name+" "+p.Token.String())
	}), o))
	t.Cleanup(s.Close)
	return s.URL, &http.Client{Transport: &httpfence.Transport{Base: s.Client().Transport}}
}

// request sends one with a context, and returns the answer with its body.
func request(ctx context.Context, t *testing.T, client *http.Client, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	for key, values := range header {
		r.Header[key] = values
	}
	before := len(r.Header)
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if len(r.Header) != before {
		t.Error("the transport changed the request that it was given")
	}
	refused := httpfence.Refused(answer)
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if (refused != nil) != (answer.StatusCode == http.StatusPreconditionFailed) {
		t.Errorf("status %d: Refused says %v", answer.StatusCode, refused)
	}
	return answer, string(body)
}

func TestAnOlderTokenIsRefused(t *testing.T) {
	t.Parallel()
	url, client := serve(t, &httpfence.Options{Gate: new(fence.Gate)})
	const name = "orders/42 ü\n%" // it has to survive a header
	show := func(token holdgate.Token) (*http.Response, string) {
		return request(fence.WithPass(t.Context(), fence.Pass{Name: name, Token: token}), t, client, url, nil)
	}
	const big = 1<<53 + 1
	for _, token := range []holdgate.Token{9, 10, 10, big} {
		if answer, body := show(token); answer.StatusCode != http.StatusOK || body != name+" "+token.String() {
			t.Errorf("token %v: got %d, %q", token, answer.StatusCode, body)
		}
	}
	answer, body := show(big - 1)
	if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusPreconditionFailed || got != "application/problem+json" {
		t.Errorf("an older token: got %d, %s", answer.StatusCode, got)
	}
	var problem struct {
		Type, Title, Detail, Name, Token, Newest string
		Status                                   int
	}
	if err := json.Unmarshal([]byte(body), &problem); err != nil {
		t.Fatal(err)
	}
	if problem.Status != 412 || problem.Type == "" || problem.Title == "" || problem.Detail == "" ||
		problem.Name != name || problem.Token != "9007199254740992" || problem.Newest != "9007199254740993" {
		t.Errorf("the problem: got %s", body)
	}
	answer.Body = io.NopCloser(strings.NewReader(body))
	stale, _ := errors.AsType[*fence.StaleError](httpfence.Refused(answer))
	if stale == nil || *stale != (fence.StaleError{Name: name, Token: big - 1, Newest: big}) {
		t.Errorf("Refused: got %+v", stale)
	}
	if again, _ := io.ReadAll(answer.Body); string(again) != body {
		t.Errorf("the body can be read again: got %q", again)
	}
}

func TestARequestWithoutAGoodPass(t *testing.T) {
	t.Parallel()
	gate := new(fence.Gate)
	url, client := serve(t, &httpfence.Options{Gate: gate})
	for name, tc := range map[string]struct {
		header http.Header
		want   int
	}{
		"no token":        {http.Header{}, http.StatusPreconditionRequired},
		"only a name":     {http.Header{"Fencing-Name": {"x"}}, http.StatusPreconditionRequired},
		"an empty token":  {http.Header{"Fencing-Name": {"x"}, "Fencing-Token": {""}}, http.StatusPreconditionRequired},
		"no name":         {http.Header{"Fencing-Token": {"5"}}, http.StatusBadRequest},
		"no number":       {http.Header{"Fencing-Name": {"x"}, "Fencing-Token": {"five"}}, http.StatusBadRequest},
		"a negative one":  {http.Header{"Fencing-Name": {"x"}, "Fencing-Token": {"-5"}}, http.StatusBadRequest},
		"a leading zero":  {http.Header{"Fencing-Name": {"x"}, "Fencing-Token": {"05"}}, http.StatusBadRequest},
		"zero":            {http.Header{"Fencing-Name": {"x"}, "Fencing-Token": {"0"}}, http.StatusBadRequest},
		"too large":       {http.Header{"Fencing-Name": {"x"}, "Fencing-Token": {"9223372036854775808"}}, http.StatusBadRequest},
		"two tokens":      {http.Header{"Fencing-Name": {"x"}, "Fencing-Token": {"5", "6"}}, http.StatusBadRequest},
		"two names":       {http.Header{"Fencing-Name": {"x", "y"}, "Fencing-Token": {"5"}}, http.StatusBadRequest},
		"a broken escape": {http.Header{"Fencing-Name": {"%zz"}, "Fencing-Token": {"5"}}, http.StatusBadRequest},
		"not UTF-8":       {http.Header{"Fencing-Name": {"%ff"}, "Fencing-Token": {"5"}}, http.StatusBadRequest},
		"a long name":     {http.Header{"Fencing-Name": {strings.Repeat("x", 513)}, "Fencing-Token": {"5"}}, http.StatusBadRequest},
	} {
		answer, body := request(t.Context(), t, client, url, tc.header)
		if answer.StatusCode != tc.want || !strings.Contains(body, `"detail":`) {
			t.Errorf("%s: got %d, %s; want %d", name, answer.StatusCode, body, tc.want)
		}
	}
	if got := gate.Newest("x"); got != 0 {
		t.Errorf("a refused request was remembered: %v", got)
	}
}

// The server knows which lock guards what a request is about.
func TestTheServerNamesTheLock(t *testing.T) {
	t.Parallel()
	url, client := serve(t, &httpfence.Options{
		Gate: new(fence.Gate),
		Name: func(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/") },
	})
	mine := fence.WithPass(t.Context(), fence.Pass{Name: "orders/42", Token: 5})
	if answer, _ := request(mine, t, client, url+"/orders/42", nil); answer.StatusCode != http.StatusOK {
		t.Errorf("the right lock: got %d", answer.StatusCode)
	}
	if answer, body := request(mine, t, client, url+"/orders/43", nil); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("another lock: got %d, %s", answer.StatusCode, body)
	}
	answer, body := request(t.Context(), t, client, url+"/orders/43", http.Header{"Fencing-Token": {"6"}})
	if answer.StatusCode != http.StatusOK || body != "orders/43 6" {
		t.Errorf("only a token: got %d, %s", answer.StatusCode, body)
	}
}

// Without a gate the token is for the handler, whose own refusal is the same answer.
func TestAHandlerRefuses(t *testing.T) {
	t.Parallel()
	h := httpfence.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := fence.FromContext(r.Context())
		if err == nil {
			err = p.Against(8) // a transaction says so
		}
		if !httpfence.Refuse(w, err) {
			t.Errorf("no answer for %v", err)
		}
	}), nil)
	r := httptest.NewRequest(http.MethodPut, "/", nil)
	httpfence.Set(r.Header, fence.Pass{Name: "x", Token: 7})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusPreconditionFailed {
		t.Errorf("got %d", w.Code)
	}
	if httpfence.Refuse(httptest.NewRecorder(), nil) || httpfence.Refuse(httptest.NewRecorder(), errors.New("other")) {
		t.Error("Refuse has an answer for what is not its own")
	}
}

// closed is a body that tells whether it was closed.
type closed struct {
	io.Reader
	yes bool
}

func (c *closed) Close() error { c.yes = true; return nil }

// lost is a hold that has ended.
type lost struct{}

func (lost) Name() string          { return "x" }
func (lost) Token() holdgate.Token { return 0 }
func (lost) Exclusive() bool       { return true }
func (lost) Err() error            { return &holdgate.LostError{Name: "x", Reason: holdgate.LostExpired} }

func TestALostHoldSendsNothing(t *testing.T) {
	t.Parallel()
	url, client := serve(t, nil)
	body := &closed{Reader: strings.NewReader("body")}
	r, err := http.NewRequestWithContext(fence.WithHold(t.Context(), lost{}), http.MethodPost, url, body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err == nil {
		answer.Body.Close()
	}
	if !errors.Is(err, holdgate.ErrLost) {
		t.Errorf("got the error %v, want that the hold is lost", err)
	}
	if !body.yes {
		t.Error("the body was not closed")
	}
}

// An older holder's request is being served, and does not end: it is told, and the newer one
// is answered when its patience ends.
func TestARequestOfAnOlderHolderIsInTheWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		h := httpfence.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if p, _ := fence.FromContext(r.Context()); p.Token > 1 {
				return
			}
			<-r.Context().Done()
			if !errors.Is(context.Cause(r.Context()), fence.ErrStale) {
				t.Errorf("the older request ended with %v", context.Cause(r.Context()))
			}
			<-end
		}), &httpfence.Options{Gate: new(fence.Gate)})
		send := func(ctx context.Context, token holdgate.Token) int {
			r := httptest.NewRequestWithContext(ctx, http.MethodPut, "/", nil)
			httpfence.Set(r.Header, fence.Pass{Name: "x", Token: token})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		older := make(chan int, 1)
		go func() { older <- send(t.Context(), 1) }()
		synctest.Wait()
		impatient, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if got := send(impatient, 2); got != http.StatusServiceUnavailable {
			t.Errorf("the newer one, while it is in the way: got %d", got)
		}
		close(end)
		if got := <-older; got != http.StatusOK {
			t.Errorf("the older one: got %d", got)
		}
		if got := send(t.Context(), 2); got != http.StatusOK {
			t.Errorf("the newer one: got %d", got)
		}
	})
}
