package remotedriver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// silence is how long a stream may be silent: servers send something every 5 s.
const silence = 20 * time.Second

var errSilent = errors.New("the server's stream is silent")

// stream is a stream of server-sent events (WHATWG HTML, section 9.2).
type stream struct {
	d      *Driver
	ctx    context.Context //nolint:containedctx // that of the one request behind it
	cancel context.CancelCauseFunc
	sent   *sending
	answer *http.Response
	lines  *bufio.Reader
	alarm  *time.Timer
}

// open opens a stream.
func (d *Driver) open(ctx context.Context, path string, q query) (*stream, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	s := &stream{d: d, ctx: ctx, cancel: cancel}
	s.alarm = time.AfterFunc(silence, func() { cancel(errSilent) })
	answer, sent, err := d.send(ctx, request{method: http.MethodGet, path: path, query: q})
	s.sent = sent
	if err != nil {
		err = s.broke(err)
		s.close()
		return nil, err
	}
	s.answer, s.lines = answer, bufio.NewReader(answer.Body)
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20)) // what there is tells the reason
		s.close()
		return nil, d.refused(sent, answer, text)
	}
	return s, nil
}

func (s *stream) close() {
	s.alarm.Stop()
	s.cancel(nil)
	if s.answer != nil {
		_ = s.answer.Body.Close() // it was for reading
	}
}

// next reads the next snapshot.
func (s *stream) next(snapshot any) error {
	for {
		event, data, err := s.event()
		if err != nil {
			return s.broke(err)
		}
		switch event {
		case api.EventSnapshot:
			if err := json.Unmarshal(data, snapshot); err != nil {
				return fmt.Errorf("%w: an event cannot be read: %w", driver.ErrUnavailable, err)
			}
			return nil
		case api.EventProblem:
			p := new(api.Problem)
			if err := json.Unmarshal(data, p); err != nil {
				return fmt.Errorf("%w: an event cannot be read: %w", driver.ErrUnavailable, err)
			}
			if p.Code == api.CodeDraining || p.Code == api.CodeUnavailable {
				s.d.leave(s.sent.server)
			}
			return errorOf(p, s.sent)
		}
	}
}

// event reads one event. A comment is a sign of life and nothing else.
func (s *stream) event() (event string, data []byte, err error) {
	for {
		line, err := s.lines.ReadBytes('\n')
		if err != nil {
			return "", nil, err
		}
		s.alarm.Reset(silence)
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			event = string(value)
		case "data":
			data = append(data, value...) // our server sends one line of it
		}
		if len(line) == 0 && (event != "" || data != nil) {
			return event, data, nil
		}
	}
}

// broke is the error of a stream that ended.
func (s *stream) broke(err error) error {
	if errors.Is(context.Cause(s.ctx), errSilent) {
		s.d.leave(s.sent.server)
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, errSilent)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return s.d.unanswered(s.ctx, err, s.sent)
}
