package httpfence_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/httpfence"
)

// A service lets each holder write its report. One that was paused is refused when it goes on.
func Example() {
	service := httptest.NewServer(httpfence.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent) // here the report is written
	}), &httpfence.Options{
		Gate: new(fence.Gate),
		Name: func(*http.Request) string { return "report" },
	}))
	defer service.Close()
	client := &http.Client{Transport: &httpfence.Transport{}}
	put := func(ctx context.Context) {
		r, _ := http.NewRequestWithContext(ctx, http.MethodPut, service.URL, strings.NewReader("..."))
		answer, err := client.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer answer.Body.Close()
		fmt.Println(answer.Status, httpfence.Refused(answer) != nil)
	}

	ctx := context.Background()
	store := memdriver.NewStore()
	ann, _ := holdgate.New(store.Connect(nil), nil)
	bob, _ := holdgate.New(store.Connect(nil), nil)
	hold, _ := ann.Mutex("report").Lock(ctx)
	put(fence.WithHold(ctx, hold))

	paused, _ := fence.Of(hold)              // ann's next request is on its way, and slow
	store.ExpireSession(store.Sessions()[0]) // nobody has heard from ann for a TTL
	hold, _ = bob.Mutex("report").Lock(ctx)
	put(fence.WithHold(ctx, hold))
	put(fence.WithPass(ctx, paused)) // now it arrives
	// Output:
	// 204 No Content false
	// 204 No Content false
	// 412 Precondition Failed true
}
