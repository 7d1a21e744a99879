package remotedriver

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// refused is the error of an answer that is not a success.
func (d *Driver) refused(sent *sending, answer *http.Response, text []byte) error {
	p, ok := problemIn(answer, text)
	if !ok {
		d.leave(sent.server)
		return stranger(sent, answer)
	}
	switch p.Code {
	case api.CodeUnavailable, api.CodeDraining, api.CodeInternal, api.CodeMisdirected:
		d.leave(sent.server)
	}
	return errorOf(p, sent)
}

// problemIn reads a problem. What stands between client and server answers otherwise.
func problemIn(answer *http.Response, text []byte) (*api.Problem, bool) {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	p := new(api.Problem)
	if err != nil || kind != api.ContentType || json.Unmarshal(text, p) != nil || p.Code == "" {
		return nil, false
	}
	return p, true
}

// stranger is the error of an answer that no server of ours gave: a proxy, say, which may
// have passed the request on.
func stranger(sent *sending, answer *http.Response) error {
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return fmt.Errorf("%w: %s", driver.ErrDenied, answer.Status)
	case http.StatusRequestEntityTooLarge, http.StatusRequestHeaderFieldsTooLarge:
		return fmt.Errorf("%w: %s", driver.ErrTooLarge, answer.Status)
	}
	return fmt.Errorf("%w: the answer is %s, and none of a Holdgate server", sent.kind(), answer.Status)
}

// errorOf is what a problem means to the caller of a driver.
func errorOf(p *api.Problem, sent *sending) error {
	if p.Code == api.CodeBusy && p.Holder != nil {
		head, err := p.Holder.Driver()
		if err != nil {
			return fmt.Errorf("%w: %w", driver.ErrUnknownOutcome, err)
		}
		return &driver.BusyError{Head: head, Ahead: p.Ahead}
	}
	kind := kindOf(p.Code)
	if kind == nil { // it may have happened
		kind = sent.kind()
	}
	return fmt.Errorf("%w: %w", kind, p)
}

// kindOf is the kind of error that a code stands for, nil where it depends on the request.
func kindOf(code api.Code) error {
	switch code {
	case api.CodeInvalid, api.CodeNotFound, api.CodeMethod:
		return driver.ErrInvalid
	case api.CodeUnauthenticated, api.CodeDenied:
		return driver.ErrDenied
	case api.CodeGone:
		return driver.ErrGone
	case api.CodeConflict:
		return driver.ErrConflict
	case api.CodeMismatch:
		return driver.ErrMismatch
	case api.CodeLost:
		return driver.ErrSessionLost
	case api.CodeTooLarge:
		return driver.ErrTooLarge
	case api.CodeUnsupported:
		return driver.ErrUnsupported
	case api.CodeUnavailable, api.CodeDraining, api.CodeMisdirected, api.CodeLimit:
		return driver.ErrUnavailable
	case api.CodeBusy, api.CodeWaiting, api.CodeInternal, api.CodeUnknownOutcome:
	}
	return nil
}
