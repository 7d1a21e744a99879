package redisdriver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
)

// replicateWithin is how long replicas have to confirm.
const replicateWithin = time.Second

// errFewReplicas: it was done, and fewer replicas than wanted have it.
var errFewReplicas = errors.New("too few replicas have confirmed")

// exchangeReplicated sends requests, and behind them a WAIT, which covers all that was done
// before it on the primary. So one that is repeated, and finds its place there, waits for
// that place, too.
func (d *Driver) exchangeReplicated(ctx context.Context, client redis.UniversalClient, batch []*request, command commander) {
	pipe, err := primary(ctx, client, batch[0].keys[0])
	if err != nil {
		for _, r := range batch {
			r.err = err
		}
		return
	}
	wait := redis.NewIntCmd(ctx, "wait", d.opts.Replicas, replicateWithin.Milliseconds())
	run(ctx, pipe, batch, command, wait)
	followMove(ctx, client, batch)
	if confirmed, err := wait.Result(); err == nil && confirmed >= int64(d.opts.Replicas) {
		return
	}
	for _, r := range batch {
		if r.script.lasts && r.err == nil && r.done() {
			r.err = errFewReplicas
		}
	}
}

// primary is a pipeline to the server that has a key: of a cluster's client, a command
// without a key may go anywhere.
func primary(ctx context.Context, client redis.UniversalClient, key string) (redis.Pipeliner, error) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		return client.Pipeline(), nil
	}
	node, err := cluster.MasterForKey(ctx, key)
	if err != nil {
		return nil, err
	}
	return node.Pipeline(), nil
}

// followMove learns where the keys are now when an answer says that they have been moved:
// a pipeline to one server does not.
func followMove(ctx context.Context, client redis.UniversalClient, batch []*request) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		return
	}
	for _, r := range batch {
		if _, moved := redis.IsMovedError(r.err); moved {
			cluster.ReloadState(ctx)
			return
		}
	}
}

// done reports whether the script did what it was asked for.
func (r *request) done() bool {
	switch reply(r.reply).text(0) {
	case saysOK, saysAll, saysGranted, saysWaiting:
		return true
	}
	return false
}

// undo gives back places that too few replicas have. While that fails they are in doubt.
func (s *session) undo(ctx context.Context, err error, claims ...driver.Claim) error {
	for _, c := range claims {
		s.noDoubt(c.ID) // it was answered; and its caller may try the same claim again
		if left := s.Leave(ctx, c.Line, c.ID); left != nil && !oneOf(left, driver.ErrGone) {
			s.doubt(c.ID, err)
			return err
		}
	}
	return fmt.Errorf("%w: %w", driver.ErrUnavailable, errFewReplicas)
}
