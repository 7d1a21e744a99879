package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// errDraining is why a request that waits is answered before its time.
var errDraining = errors.New("this server is about to stop: ask again")

// kind is how the API tells one kind of error.
type kind struct {
	err    error
	code   api.Code
	status int
	title  string
}

// kinds are those of package driver, and the server's own.
func kinds() []kind {
	return []kind{
		{errDraining, api.CodeDraining, http.StatusServiceUnavailable, "The server is about to stop"},
		{driver.ErrBusy, api.CodeBusy, http.StatusConflict, "The line is busy"},
		{driver.ErrGone, api.CodeGone, http.StatusNotFound, "It is not there"},
		{driver.ErrConflict, api.CodeConflict, http.StatusConflict, "The version is another one"},
		{driver.ErrSessionLost, api.CodeLost, http.StatusGone, "The session is lost"},
		{driver.ErrMoved, api.CodeUnavailable, http.StatusServiceUnavailable, "The session is in use by another server"},
		{driver.ErrUnknownOutcome, api.CodeUnknownOutcome, http.StatusGatewayTimeout, "The store's answer was lost"},
		{driver.ErrUnavailable, api.CodeUnavailable, http.StatusServiceUnavailable, "The store is unavailable"},
		{driver.ErrClosed, api.CodeUnavailable, http.StatusServiceUnavailable, "The store is unavailable"},
		{driver.ErrUnsupported, api.CodeUnsupported, http.StatusNotImplemented, "This store cannot do that"},
		{driver.ErrMismatch, api.CodeMismatch, http.StatusConflict, "The line is of another kind or capacity"},
		{driver.ErrTooLarge, api.CodeTooLarge, http.StatusRequestEntityTooLarge, "Too large"},
		{driver.ErrDenied, api.CodeDenied, http.StatusForbidden, "Not allowed"},
		{driver.ErrInvalid, api.CodeInvalid, http.StatusUnprocessableEntity, "The request is invalid"},
		{errMisdirected, api.CodeMisdirected, http.StatusMisdirectedRequest, "The session lives elsewhere"},
		{errLimit, api.CodeLimit, http.StatusTooManyRequests, "Too much"},
		{errUnauthenticated, api.CodeUnauthenticated, http.StatusUnauthorized, "Who are you?"},
		{context.DeadlineExceeded, api.CodeUnknownOutcome, http.StatusGatewayTimeout, "The store did not answer in time"},
		{context.Canceled, api.CodeUnknownOutcome, http.StatusGatewayTimeout, "The request was given up"},
	}
}

// problemOf is the answer to a request that failed.
func problemOf(err error) *api.Problem {
	if p, ok := errors.AsType[*api.Problem](err); ok {
		return p
	}
	for _, k := range kinds() {
		if !errors.Is(err, k.err) {
			continue
		}
		p := newProblem(k.code, k.status, k.title, err.Error())
		if busy, ok := errors.AsType[*driver.BusyError](err); ok {
			head := api.PlaceOf(busy.Head)
			p.Holder, p.Ahead = &head, busy.Ahead
		}
		return p
	}
	// Nobody is told what is not known to be harmless.
	return newProblem(api.CodeInternal, http.StatusInternalServerError, "A fault of the server", "")
}

func newProblem(code api.Code, status int, title, detail string) *api.Problem {
	return &api.Problem{
		Type: "urn:holdgate:problem:" + string(code), Title: title, Status: status, Code: code,
		Detail: strings.ToValidUTF8(detail, "\uFFFD"),
	}
}

// headers are what goes with a problem.
func headers(p *api.Problem, h http.Header) {
	switch p.Status {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h.Set("Retry-After", "1")
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="holdgate"`)
	}
}

// refuse answers a request with a problem.
func refuse(w http.ResponseWriter, p *api.Problem) {
	headers(p, w.Header())
	w.Header().Set("Content-Type", api.ContentType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // who does not listen is not told
}
