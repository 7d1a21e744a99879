package httpfence

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/holdgate/holdgate/fence"
)

// Transport sends with each request the pass that its context carries: see
// [fence.WithHold]. A request without one is sent as it is, for the server to judge.
// The zero Transport uses http.DefaultTransport.
//
// A request of a hold that has ended, or does not fence, is not sent: the error says why.
type Transport struct {
	Base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	p, err := fence.FromContext(r.Context())
	switch {
	case errors.Is(err, fence.ErrNoPass):
		return t.base().RoundTrip(r)
	case err != nil:
		if r.Body != nil {
			_ = r.Body.Close() // as the contract asks for, also after an error
		}
		return nil, fmt.Errorf("not sent: %w", err)
	}
	r = r.Clone(r.Context()) // a transport does not change what it is given
	Set(r.Header, p)
	return t.base().RoundTrip(r)
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}
