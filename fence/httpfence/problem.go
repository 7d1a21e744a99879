package httpfence

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

const (
	problemType = "application/problem+json"
	// staleType names the problem in a document: where it is explained.
	staleType = "https://github.com/holdgate/holdgate/blob/main/docs/fencing.md#refused"
)

// errOccupied: a request of an older holder did not end in time.
var errOccupied = errors.New("an older holder's request is still being served")

// problem is a refusal, as RFC 9457 has it.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`

	Name      string         `json:"name,omitempty"`
	Token     holdgate.Token `json:"token,omitempty"`
	Newest    holdgate.Token `json:"newest,omitempty"`
	Forgotten bool           `json:"forgotten,omitempty"`
}

// Refuse answers a request with the problem that err is, and reports whether it is one
// of those that this package has an answer for: a *fence.StaleError, also from the
// transaction of a handler, or a pass that is missing or none.
func Refuse(w http.ResponseWriter, err error) bool {
	p, ok := describe(err)
	if !ok {
		return false
	}
	body, failed := json.Marshal(p)
	if failed != nil {
		return false // not possible: texts and numbers
	}
	w.Header().Set("Content-Type", problemType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(body) // a client that is gone does not listen
	return true
}

func describe(err error) (problem, bool) {
	if stale, ok := errors.AsType[*fence.StaleError](err); ok {
		return problem{
			Type: staleType, Title: "Stale fencing token", Status: http.StatusPreconditionFailed, Detail: stale.Error(),
			Name: stale.Name, Token: stale.Token, Newest: stale.Newest, Forgotten: stale.Forgotten,
		}, true
	}
	p := problem{Type: "about:blank"}
	switch {
	case err == nil:
		return p, false
	case errors.Is(err, fence.ErrNoPass):
		p.Status = http.StatusPreconditionRequired
	case errors.Is(err, errOccupied):
		p.Status = http.StatusServiceUnavailable
	case errors.Is(err, ErrMalformed), errors.Is(err, fence.ErrNoToken), errors.Is(err, fence.ErrInvalidToken),
		errors.Is(err, holdgate.ErrInvalidName):
		p.Status = http.StatusBadRequest
	default:
		return p, false
	}
	p.Title, p.Detail = http.StatusText(p.Status), err.Error()
	return p, true
}

// maxProblem is how much of an answer is read to find out why it refuses.
const maxProblem = 64 << 10

// Refused returns the *fence.StaleError that an answer of [Handler] or [Refuse] tells of,
// nil for any other answer. The body can be read afterwards as before.
func Refused(r *http.Response) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != problemType || r.StatusCode != http.StatusPreconditionFailed {
		return nil
	}
	head, err := io.ReadAll(io.LimitReader(r.Body, maxProblem))
	r.Body = again{io.MultiReader(bytes.NewReader(head), r.Body), r.Body}
	var p problem
	if err != nil || json.Unmarshal(head, &p) != nil || p.Type != staleType {
		return nil
	}
	return &fence.StaleError{Name: p.Name, Token: p.Token, Newest: p.Newest, Forgotten: p.Forgotten}
}

// again is a body of which something was read, from its beginning.
type again struct {
	io.Reader
	io.Closer
}
