package grpcdiscovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/attributes"
	"google.golang.org/grpc/resolver"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/discovery"
)

// refusedPause is how long to wait when the store refuses to be watched, which another attempt
// alone hardly changes.
const refusedPause = 5 * time.Second

// follower tells a connection where a service is.
type follower struct {
	client  *holdgate.Client
	service string
	cc      resolver.ClientConn
	stop    context.CancelFunc
	done    chan struct{}
}

// ResolveNow does nothing: what changes is told as soon as it is known.
func (f *follower) ResolveNow(resolver.ResolveNowOptions) {}

// Close ends the follower.
func (f *follower) Close() {
	f.stop()
	<-f.done
}

func (f *follower) follow(ctx context.Context, patience time.Duration) {
	defer close(f.done)
	late := time.AfterFunc(patience, func() {
		f.cc.ReportError(fmt.Errorf("grpcdiscovery: where %q is: %w: the store was not reached yet", f.service, holdgate.ErrUnavailable))
	})
	defer late.Stop()
	for {
		err := f.watch(ctx, late)
		if ctx.Err() != nil {
			return
		}
		late.Stop()
		f.cc.ReportError(fmt.Errorf("grpcdiscovery: %w", err))
		if errors.Is(err, holdgate.ErrClosed) || pause(ctx) != nil {
			return
		}
	}
}

// watch tells the connection of the instances whenever they changed. A stale list is the last
// one again, which the connection has.
func (f *follower) watch(ctx context.Context, late *time.Timer) error {
	var told uint64
	for s, err := range discovery.Watch(ctx, f.client, f.service) {
		if err != nil {
			return err
		}
		late.Stop()
		if s.Revision == told {
			continue
		}
		told = s.Revision
		_ = f.cc.UpdateState(state(s)) // it refuses an empty list, and asking again would not help
	}
	return nil
}

func pause(ctx context.Context) error {
	timer := time.NewTimer(refusedPause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// instanceKey finds the instance in the attributes of an endpoint.
type instanceKey struct{}

// state is what gRPC knows of a snapshot: each address once, with its instance.
func state(s discovery.Snapshot) resolver.State {
	instances := discovery.ByAddress(s.Instances)
	state := resolver.State{Endpoints: make([]resolver.Endpoint, 0, len(instances))}
	for _, in := range instances {
		address := resolver.Address{Addr: in.Addr}
		state.Addresses = append(state.Addresses, address)
		state.Endpoints = append(state.Endpoints, resolver.Endpoint{
			Addresses:  []resolver.Address{address},
			Attributes: attributes.New(instanceKey{}, &in),
		})
	}
	return state
}

// InstanceOf returns the instance that an endpoint stands for: for load-balancing policies that
// heed its weight or its metadata. It is not to be changed.
func InstanceOf(e resolver.Endpoint) (*discovery.Instance, bool) {
	in, ok := e.Attributes.Value(instanceKey{}).(*discovery.Instance)
	return in, ok
}
