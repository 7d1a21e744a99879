package grpcfence_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/grpcfence"
)

// service answers calls and streams with the pass that it finds, as its own error or, when
// there is one, as no error.
type service struct {
	healthpb.UnimplementedHealthServer
	check func(context.Context) error
}

func (s *service) Check(ctx context.Context, _ *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	return &healthpb.HealthCheckResponse{}, s.check(ctx)
}

func (s *service) Watch(_ *healthpb.HealthCheckRequest, stream healthpb.Health_WatchServer) error {
	return s.check(stream.Context())
}

// start starts a server with the interceptors, and returns a client with them.
func start(t *testing.T, o *grpcfence.Options, check func(context.Context) error) healthpb.HealthClient {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnaryInterceptor(grpcfence.UnaryServer(o)), grpc.StreamInterceptor(grpcfence.StreamServer(o)))
	healthpb.RegisterHealthServer(s, &service{check: check})
	served := make(chan struct{})
	go func() { // ends with Stop
		defer close(served)
		_ = s.Serve(l) // the error is that of Stop
	}()
	t.Cleanup(func() {
		s.Stop()
		<-served
	})
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(grpcfence.UnaryClient), grpc.WithStreamInterceptor(grpcfence.StreamClient))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return healthpb.NewHealthClient(conn)
}

// kinds are the two kinds of call.
func kinds() map[string]func(context.Context, healthpb.HealthClient) error {
	return map[string]func(context.Context, healthpb.HealthClient) error{
		"a call": func(ctx context.Context, c healthpb.HealthClient) error {
			_, err := c.Check(ctx, &healthpb.HealthCheckRequest{Service: "orders/42"})
			return err
		},
		"a stream": func(ctx context.Context, c healthpb.HealthClient) error {
			stream, err := c.Watch(ctx, &healthpb.HealthCheckRequest{Service: "orders/42"})
			if err != nil {
				return err
			}
			_, err = stream.Recv()
			if err != nil && strings.Contains(err.Error(), "EOF") { // it ended without an error
				return nil
			}
			return err
		},
	}
}

func TestAnOlderTokenIsRefused(t *testing.T) {
	t.Parallel()
	for kind, call := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			const name = "orders/42 ü\n"
			var got fence.Pass
			c := start(t, &grpcfence.Options{Gate: new(fence.Gate)}, func(ctx context.Context) (err error) {
				got, err = fence.FromContext(ctx)
				return err
			})
			show := func(token holdgate.Token) error {
				// What the caller sends beside it stays.
				ctx := metadata.AppendToOutgoingContext(t.Context(), "other", "x")
				return call(fence.WithPass(ctx, fence.Pass{Name: name, Token: token}), c)
			}
			const big = 1<<53 + 1
			for _, token := range []holdgate.Token{9, 10, 10, big} {
				if err := show(token); err != nil || got.Name != name || got.Token != token {
					t.Fatalf("token %v: %v; the handler has %+v", token, err, got)
				}
			}
			err := show(big - 1)
			if status.Code(err) != codes.FailedPrecondition {
				t.Errorf("an older token: got %v", err)
			}
			stale, _ := errors.AsType[*fence.StaleError](grpcfence.Refused(err))
			if stale == nil || *stale != (fence.StaleError{Name: name, Token: big - 1, Newest: big}) {
				t.Errorf("Refused: got %+v", stale)
			}
		})
	}
}

func TestACallWithoutAGoodPass(t *testing.T) {
	t.Parallel()
	gate := new(fence.Gate)
	c := start(t, &grpcfence.Options{Gate: gate}, func(context.Context) error { return nil })
	for name, tc := range map[string]struct {
		pairs []string
		want  codes.Code
	}{
		"no token":    {nil, codes.FailedPrecondition},
		"only a name": {[]string{grpcfence.KeyName, "x"}, codes.FailedPrecondition},
		"no name":     {[]string{grpcfence.KeyToken, "5"}, codes.InvalidArgument},
		"no number":   {[]string{grpcfence.KeyName, "x", grpcfence.KeyToken, "five"}, codes.InvalidArgument},
		"zero":        {[]string{grpcfence.KeyName, "x", grpcfence.KeyToken, "0"}, codes.InvalidArgument},
		"two tokens":  {[]string{grpcfence.KeyName, "x", grpcfence.KeyToken, "5", grpcfence.KeyToken, "6"}, codes.InvalidArgument},
		"two names":   {[]string{grpcfence.KeyName, "x", grpcfence.KeyName, "y", grpcfence.KeyToken, "5"}, codes.InvalidArgument},
		"not UTF-8":   {[]string{grpcfence.KeyName, "\xff", grpcfence.KeyToken, "5"}, codes.InvalidArgument},
	} {
		for kind, call := range kinds() {
			err := call(metadata.AppendToOutgoingContext(t.Context(), tc.pairs...), c)
			if status.Code(err) != tc.want {
				t.Errorf("%s in %s: got %v, want %v", name, kind, err, tc.want)
			}
			if grpcfence.Refused(err) != nil {
				t.Errorf("%s in %s: told as a stale token", name, kind)
			}
		}
	}
	if got := gate.Newest("x"); got != 0 {
		t.Errorf("a refused call was remembered: %v", got)
	}
}

func TestTheServerNamesTheLock(t *testing.T) {
	t.Parallel()
	c := start(t, &grpcfence.Options{
		Gate: new(fence.Gate),
		Name: func(_ context.Context, _ string, req any) string {
			if r, ok := req.(*healthpb.HealthCheckRequest); ok {
				return r.GetService()
			}
			return ""
		},
	}, func(context.Context) error { return nil })
	call := kinds()["a call"]
	if err := call(fence.WithPass(t.Context(), fence.Pass{Name: "orders/42", Token: 5}), c); err != nil {
		t.Errorf("the right lock: %v", err)
	}
	if err := call(fence.WithPass(t.Context(), fence.Pass{Name: "orders/43", Token: 5}), c); status.Code(err) != codes.InvalidArgument {
		t.Errorf("another lock: got %v", err)
	}
}

// Methods that need no pass are left alone, and a handler's own refusal, from its
// transaction, is the same answer.
func TestWithoutAGate(t *testing.T) {
	t.Parallel()
	c := start(t, &grpcfence.Options{Unfenced: func(method string) bool { return strings.HasSuffix(method, "/Watch") }},
		func(ctx context.Context) error {
			p, err := fence.FromContext(ctx)
			if errors.Is(err, fence.ErrNoPass) {
				return nil
			}
			return p.Against(8)
		})
	if err := kinds()["a stream"](t.Context(), c); err != nil {
		t.Errorf("a method that needs no pass: %v", err)
	}
	err := kinds()["a call"](fence.WithPass(t.Context(), fence.Pass{Name: "x", Token: 7}), c)
	if !errors.Is(grpcfence.Refused(err), fence.ErrStale) {
		t.Errorf("a handler's refusal: got %v", err)
	}
	other := status.Error(codes.NotFound, "other")
	if got := grpcfence.Status(other); !errors.Is(got, other) || grpcfence.Status(nil) != nil {
		t.Errorf("another error: got %v", got)
	}
	if grpcfence.Refused(other) != nil || grpcfence.Refused(nil) != nil {
		t.Error("another error is told as a stale token")
	}
}

// lost is a hold that has ended.
type lost struct{}

func (lost) Name() string          { return "x" }
func (lost) Token() holdgate.Token { return 0 }
func (lost) Exclusive() bool       { return true }
func (lost) Err() error            { return &holdgate.LostError{Name: "x", Reason: holdgate.LostExpired} }

func TestALostHoldSendsNothing(t *testing.T) {
	t.Parallel()
	c := start(t, nil, func(context.Context) error {
		t.Error("the call arrived")
		return nil
	})
	for kind, call := range kinds() {
		err := call(fence.WithHold(t.Context(), lost{}), c)
		if !errors.Is(err, holdgate.ErrLost) || status.Code(err) != codes.FailedPrecondition {
			t.Errorf("%s: got the error %v, want that the hold is lost", kind, err)
		}
	}
}

// A call of an older holder is told when a newer one comes, and that one waits for it.
func TestANewerCallEndsAnOlderOne(t *testing.T) {
	t.Parallel()
	for kind, call := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			inside := make(chan struct{})
			c := start(t, &grpcfence.Options{Gate: new(fence.Gate)}, func(ctx context.Context) error {
				if p, _ := fence.FromContext(ctx); p.Token == 2 {
					return nil
				}
				close(inside)
				<-ctx.Done()
				return context.Cause(ctx)
			})
			older := make(chan error, 1)
			go func() { older <- call(fence.WithPass(t.Context(), fence.Pass{Name: "x", Token: 1}), c) }()
			<-inside
			if err := call(fence.WithPass(t.Context(), fence.Pass{Name: "x", Token: 2}), c); err != nil {
				t.Errorf("the newer one: %v", err)
			}
			if err := <-older; !errors.Is(grpcfence.Refused(err), fence.ErrStale) {
				t.Errorf("the older one: got %v", err)
			}
		})
	}
}
