package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

const pathLockStream = "/v1/locks/stream"

// streamTTL is the time to live of a session that is bound to a stream.
const streamTTL = 10 * time.Second

func (s *Server) lockStreamRoute() {
	route(s, operation{
		id: "acquire-on-stream", method: http.MethodPost, path: pathLockStream, tag: tagLock, events: api.Place{},
		summary: "Take a lock for as long as the connection lasts",
		detail: "A stream: session, then granted once it is, later eviction if somebody wants the lock. The server renews the session; " +
			"when the connection breaks everything is given back at once. A client that hears nothing for half the TTL must not " +
			"believe that it holds.",
	}, s.acquireOnStream)
}

type inLockStream struct {
	param.Named
	param.AsLock
	param.Waiting
	Owner string `query:"owner" maxLength:"256" doc:"Who it is, shown to people who ask who holds."`
	TTL   string `query:"ttl" maxLength:"32" doc:"How soon others get the lock when the server dies; by default 10s."`
}

func (in inLockStream) ttl() (time.Duration, error) {
	if in.TTL == "" {
		return streamTTL, nil
	}
	d, err := time.ParseDuration(in.TTL)
	if err != nil || d < time.Second {
		return 0, fmt.Errorf("%w: ttl is a duration of at least 1s, such as 10s, not %q", driver.ErrInvalid, in.TTL)
	}
	return d, nil
}

func (s *Server) acquireOnStream(ctx context.Context, in *inLockStream) (*streamed, error) {
	c, err := in.Claim(in.Name)
	if err != nil {
		return nil, err
	}
	c.Data = noteOf(remark{Reason: in.Reason})
	limit, err := in.Waiting.Limit(0, 24*time.Hour) // the stream shows that its client is there
	if err != nil {
		return nil, err
	}
	ttl, err := in.ttl()
	if err != nil {
		return nil, err
	}
	who := callerOf(ctx)
	if err := who.may(VerbLock, c.Line); err != nil {
		return nil, err
	}
	c.ID, c.Try = param.NewID(), limit == 0
	return s.stream(ctx, func(ctx context.Context, st *stream) error {
		if err := s.quotas.take(who.name, quotaSessions, s.limit(who, quotaSessions)); err != nil {
			return err
		}
		defer s.quotas.give(who.name, quotaSessions, 1)
		sent := time.Now()
		opened, err := s.drv.Open(ctx, driver.SessionOptions{TTL: ttl, Owner: in.Owner})
		if err != nil {
			return err
		}
		b := &boundSession{s: s, st: st, ses: opened, ttl: ttl, told: make(map[string]bool), renewed: sent}
		defer b.close(ctx)
		return b.run(ctx, c, limit)
	})
}

// boundSession is a session that lives as long as a stream.
type boundSession struct {
	s    *Server
	st   *stream
	ses  driver.Session
	ttl  time.Duration
	told map[string]bool // of which evictions the client was told
	// renewed is when the last renewal was sent that the store has answered.
	renewed time.Time
}

// run takes the lock, tells when it is granted, and keeps the session alive until the
// stream or the session ends.
func (b *boundSession) run(ctx context.Context, c driver.Claim, limit time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := b.st.send("", api.EventSession, api.Session{ID: b.ses.ID(), TTL: api.Down(b.ttl)}); err != nil {
		return err
	}
	answer := make(chan takenAnswer, 1)
	taken := make(chan struct{})
	// Ends with ctx at the latest, and is awaited.
	go func() { defer close(taken); answer <- b.take(ctx, c, limit) }()
	defer func() { cancel(nil); <-taken }()

	tick := time.NewTicker(b.ttl / 4)
	defer tick.Stop()
	for {
		select {
		case a := <-answer:
			if a.err != nil {
				return a.err
			}
			if !b.believed() {
				return errRenewLate
			}
			if err := b.st.send("", api.EventGranted, api.PlaceOf(a.place)); err != nil {
				return err
			}
		case <-tick.C:
			if err := b.keep(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

type takenAnswer struct {
	place driver.Place
	err   error
}

func (b *boundSession) take(ctx context.Context, c driver.Claim, limit time.Duration) takenAnswer {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errWaited)
		defer cancel()
	}
	p, err := b.ses.Enter(ctx, c)
	for err == nil && !p.Granted {
		p, err = b.ses.Wait(ctx, p)
	}
	if errors.Is(err, errWaited) {
		err = newProblem(api.CodeBusy, http.StatusConflict, "The line is busy", fmt.Sprintf("not granted within %v", limit))
	}
	return takenAnswer{p, err}
}

// keep renews the session, and shows the client that it is alive. A renewal that fails for
// now is due again a quarter of a TTL later; when the last good one was sent too long ago,
// the session has to be taken for lost.
func (b *boundSession) keep(ctx context.Context) error {
	within, cancel := context.WithTimeoutCause(ctx, b.ttl/4, errRenewLate)
	defer cancel()
	sent := time.Now()
	marks, err := b.ses.Renew(within)
	switch {
	case errors.Is(err, driver.ErrSessionLost), err != nil && sent.Sub(b.renewed) > b.ttl/2:
		return fmt.Errorf("%w: %w", errRenewLate, err)
	case err != nil:
		return nil // and no beat: the client counts on those
	}
	if b.renewed = sent; !b.believed() {
		return errRenewLate
	}
	for _, e := range marks {
		if b.told[e.PlaceID] {
			continue
		}
		b.told[e.PlaceID] = true
		if err := b.st.send("", api.EventEviction, api.EvictionOf(e)); err != nil {
			return err
		}
	}
	return b.st.beat()
}

// believed reports whether the client may be told anything. It believes that it holds for half a
// TTL from whatever it hears, and the store keeps the session for a TTL from when the last
// renewal was sent: this server may have been stopped since.
func (b *boundSession) believed() bool { return time.Since(b.renewed) <= b.ttl/2 }

var errRenewLate = fmt.Errorf("%w: the session could not be renewed in time", driver.ErrSessionLost)

// close gives everything back, whatever the stream ended with.
func (b *boundSession) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.s.opts.Limits.Read)
	defer cancel()
	if err := b.ses.Close(ctx); err != nil && !errors.Is(err, driver.ErrSessionLost) {
		b.s.logFault(ctx, "acquire-on-stream", fmt.Errorf("close session %s, which expires now: %w", b.ses.ID(), err))
	}
}
