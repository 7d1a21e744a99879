package httpfence

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// The headers that carry a pass.
const (
	HeaderToken = "Fencing-Token"
	HeaderName  = "Fencing-Name"
)

// ErrMalformed: the headers of a request are no pass.
var ErrMalformed = errors.New("malformed fencing headers")

// Set puts a pass into the headers of a request, in place of one that is there.
func Set(h http.Header, p fence.Pass) {
	h.Set(HeaderToken, p.Token.String())
	h.Set(HeaderName, url.PathEscape(p.Name))
}

// Parse reads a pass from the headers of a request. It answers fence.ErrNoPass when there
// is no token, and ErrMalformed for what no holder sends: also for a header that is
// there twice, since it depends on who reads it which of the two counts.
func Parse(h http.Header) (fence.Pass, error) {
	token, err := single(h, HeaderToken)
	if err != nil {
		return fence.Pass{}, err
	}
	name, err := single(h, HeaderName)
	if err != nil {
		return fence.Pass{}, err
	}
	return parse(name, token)
}

// single returns the one value of a header, "" for none.
func single(h http.Header, key string) (string, error) {
	switch values := h.Values(key); len(values) {
	case 0:
		return "", nil
	case 1:
		return values[0], nil
	default:
		return "", fmt.Errorf("%w: %s is there %d times", ErrMalformed, key, len(values))
	}
}

func parse(name, token string) (fence.Pass, error) {
	if token == "" {
		return fence.Pass{}, fmt.Errorf("%w: the header %s is missing", fence.ErrNoPass, HeaderToken)
	}
	var p fence.Pass
	var err error
	if p.Token, err = holdgate.ParseToken(token); err != nil {
		return p, fmt.Errorf("%w: %s: %w", ErrMalformed, HeaderToken, err)
	}
	if p.Name, err = url.PathUnescape(name); err != nil {
		return p, fmt.Errorf("%w: %s: %w", ErrMalformed, HeaderName, err)
	}
	return p, nil
}
