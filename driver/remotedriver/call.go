package remotedriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/holdgate/holdgate/driver"
)

// request is one call of the API.
type request struct {
	method string
	path   string // the words in braces are in place already
	query  query
	body   any // nil: none
	answer any // where the answer goes; nil: nowhere
	writes bool
}

type query map[string]string

func (q query) encode() string {
	values := make(url.Values, len(q))
	for name, value := range q {
		values.Set(name, value)
	}
	return values.Encode()
}

// maxAnswer is how large an answer may be.
const maxAnswer = 256 << 20

// do makes a request and reads its answer.
func (d *Driver) do(ctx context.Context, r request) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	ctx, end := d.within(ctx)
	defer end()
	answer, sent, err := d.send(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was for reading
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return d.unanswered(ctx, err, sent)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return d.refused(sent, answer, text)
	}
	if r.answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, r.answer); err != nil {
		return fmt.Errorf("%w: the answer cannot be read: %w", sent.kind(), err)
	}
	return nil
}

// usable says why a call cannot even begin.
func (d *Driver) usable(ctx context.Context) error {
	if d.ctx.Err() != nil {
		return driver.ErrClosed
	}
	if ctx.Err() != nil {
		return fmt.Errorf("not sent: %w", context.Cause(ctx))
	}
	return nil
}

// within is a context that ends with the handle, too.
func (d *Driver) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(d.ctx, func() { cancel(driver.ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// sending is how far a request has come.
type sending struct {
	server  int
	writes  bool
	reached atomic.Bool // it got a connection: from then on it may have arrived
}

// kind is what a request that got no answer means.
func (s *sending) kind() error {
	if s.writes && s.reached.Load() {
		return driver.ErrUnknownOutcome
	}
	return driver.ErrUnavailable
}

// send sends a request, once, and returns the beginning of its answer. A server that is not
// even reached has not seen it: then the next one is asked.
func (d *Driver) send(ctx context.Context, r request) (answer *http.Response, sent *sending, err error) {
	for range d.servers {
		answer, sent, err = d.sendTo(ctx, r)
		if err == nil || sent.reached.Load() || ctx.Err() != nil {
			break
		}
	}
	return answer, sent, err
}

func (d *Driver) sendTo(ctx context.Context, r request) (*http.Response, *sending, error) {
	n, server := d.server()
	sent := &sending{server: n, writes: r.writes}
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.reached.Store(true) },
	})
	req, err := r.build(traced, server, d.token)
	if err != nil {
		return nil, sent, err
	}
	answer, err := d.client.Do(req)
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
			// Also when there was a connection before: net/http dials again only when
			// nothing had gone out on that one.
			sent.reached.Store(false)
		}
		return nil, sent, d.unanswered(ctx, err, sent)
	}
	return answer, sent, nil
}

func (r request) build(ctx context.Context, server, token string) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // data is bounded in bytes as it is
		if err := enc.Encode(r.body); err != nil {
			return nil, fmt.Errorf("%w: %w", driver.ErrInvalid, err)
		}
		body = &text
	}
	address := server + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", driver.ErrInvalid, err)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// unanswered is the error of a request that got no answer. Unless its caller gave it up,
// the next one goes to another server.
func (d *Driver) unanswered(ctx context.Context, err error, sent *sending) error {
	switch {
	case d.ctx.Err() != nil:
		return driver.ErrClosed
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", sent.kind(), context.Cause(ctx))
	}
	d.leave(sent.server)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the URL, which may name a session
	}
	return fmt.Errorf("%w: %w", sent.kind(), err)
}
