package examples_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/examples/cronjob/rates"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/httpfence"
)

// question is that a machine asks the bank for its rates.
type question struct {
	machine string
	answer  chan string
}

// openBank starts a bank that answers when the test does.
func openBank(t *testing.T) (url string, asked <-chan question) {
	t.Helper()
	questions := make(chan question)
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := question{strings.TrimPrefix(r.UserAgent(), "cronjob/"), make(chan string)}
		select {
		case questions <- q:
		case <-r.Context().Done():
			return
		}
		select {
		case text := <-q.answer:
			_, _ = io.WriteString(w, text)
		case <-r.Context().Done(): // whoever asked is dead
		}
	}))
	t.Cleanup(bank.Close)
	return bank.URL, questions
}

// shop keeps what is published to it.
type shop struct {
	url string
	mu  sync.Mutex
	all []string
}

func openShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	take := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, string(text))
	})
	server := httptest.NewServer(httpfence.Handler(take, &httpfence.Options{
		Gate: new(fence.Gate),
		Name: func(*http.Request) string { return rates.Lock },
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *shop) want(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.all, want) {
		t.Errorf("published were %q, want %q", s.all, want)
	}
}

// TestCronjob is the program on three machines at once. The one that does it is killed in the middle.
func TestCronjob(t *testing.T) {
	t.Parallel()
	bank, asked := openBank(t)
	shop := openShop(t)
	file, dir := build(t, "cronjob"), filepath.Join(t.TempDir(), "locks")
	at := func(machine string) *process {
		return start(t, file, "-dir", dir, "-from", bank, "-to", shop.url, "-name", machine)
	}
	machines := map[string]*process{"ann": at("ann"), "bob": at("bob"), "eve": at("eve")}
	first := receive(t, asked, "a machine that asks the bank")
	machines[first.machine].kill()
	delete(machines, first.machine)
	second := receive(t, asked, "the next machine")
	if machines[second.machine] == nil {
		t.Fatalf("%q asks the bank, want one of those who live", second.machine)
	}
	second.answer <- "EUR 1.09"
	machines[second.machine].wantEnd("msg=published here=true by=" + second.machine)
	delete(machines, second.machine)
	for _, third := range machines {
		third.wantEnd("msg=published here=false by=" + second.machine)
	}
	at("late").wantEnd("msg=published here=false by=" + second.machine)
	shop.want(t, "EUR 1.09")
}

// TestAPausedMachinePublishesNothing is why the shop looks at the token: a machine is paused after it has
// fetched the rates of yesterday, and goes on when another has published those of today.
func TestAPausedMachinePublishesNothing(t *testing.T) {
	t.Parallel()
	bank, asked := openBank(t)
	shop, store := openShop(t), memdriver.NewStore()
	publish := func(machine string) <-chan error {
		client, err := holdgate.New(store.Connect(nil), &holdgate.Options{Owner: machine})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close(context.WithoutCancel(t.Context())) })
		done := make(chan error, 1)
		go func() { // its end is awaited by who receives
			hold, err := client.Mutex(rates.Lock).Lock(t.Context())
			if err == nil { // the context is not the hold's: who is paused does not look at it
				err = (&rates.Job{Machine: machine, From: bank, To: shop.url}).Run(t.Context(), hold)
			}
			done <- err
		}()
		return done
	}
	ann := publish("ann")
	yesterday := receive(t, asked, "ann's question")
	store.ExpireSession(store.Sessions()[0]) // nobody has heard from ann for a TTL
	bob := publish("bob")
	receive(t, asked, "bob's question").answer <- "today's"
	if err := receive(t, bob, "bob's end"); err != nil {
		t.Errorf("bob: %v", err)
	}
	yesterday.answer <- "yesterday's"
	if err := receive(t, ann, "ann's end"); !errors.Is(err, fence.ErrStale) {
		t.Errorf("ann: %v, want that the shop refuses it", err)
	}
	shop.want(t, "today's")
}
