package etcdembed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Pauses between tries. What is waited for are elections and the other members' health, which
// etcd judges over seconds; the member itself is there in milliseconds.
const (
	retryOwn    = 10 * time.Millisecond
	retryOthers = 250 * time.Millisecond
)

// tryLimit bounds one try, so that a member that does not answer is left for another. To log in
// takes etcd a tenth of a second of computing, and many times that on a small machine.
const tryLimit = 15 * time.Second

// persist repeats a step of the start until it succeeds, is refused for good, or the start is
// over. Whatever a step has done already, it must find done.
func (s *Server) persist(ctx context.Context, name string, every time.Duration, step func(context.Context) error) error {
	for told := false; ; told = true {
		err := within(ctx, step)
		if err == nil || isRefusal(err) {
			return err
		}
		if !told {
			s.set.Logger.LogAttrs(ctx, slog.LevelInfo, "waiting", slog.String("step", name), slog.String("error", err.Error()))
		}
		if over := s.pause(ctx, every); over != nil {
			return errors.Join(over, fmt.Errorf("%s: %w", name, err))
		}
	}
}

func within(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	return step(ctx)
}

// pause waits before another try, unless the start is over.
func (s *Server) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.ended:
		return s.reason
	case <-ctx.Done():
		return fmt.Errorf("starting: %w", context.Cause(ctx))
	}
}

// isRefusal tells what no repetition changes.
func isRefusal(err error) bool {
	for _, kind := range []error{
		errDataLost, errNowhere, errOtherCertificate,
		rpctypes.ErrAuthFailed, rpctypes.ErrUserEmpty, rpctypes.ErrPermissionDenied, rpctypes.ErrAuthNotEnabled,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// with runs a request on a client of its own. A client logs in when it is made, so that too
// belongs to the try.
func with(c clientv3.Config, request func(*clientv3.Client) error) error {
	client, err := clientv3.New(c)
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // nothing was left to send
	return request(client)
}
