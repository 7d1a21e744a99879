package redisfence

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// TxPipelined carries out the commands that fn queues, all in one step, if the pass is not
// stale; else it answers a *fence.StaleError and none was carried out. It is MULTI and
// EXEC, with the key of the token under WATCH: when another holder's write comes in
// between, fn is called again and may then be refused.
//
// The answers of the commands are in what it returns, as with redis.Client.TxPipelined.
// After an error of the network they may have been carried out.
func (f *Fences) TxPipelined(ctx context.Context, p fence.Pass, fn func(redis.Pipeliner) error) ([]redis.Cmder, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	var cmds []redis.Cmder
	attempt := func(tx *redis.Tx) (err error) {
		cmds, err = f.exec(ctx, tx, p, fn)
		return err
	}
	for {
		err := f.client.Watch(ctx, attempt, f.key(p.Name))
		if errors.Is(err, redis.TxFailedErr) && ctx.Err() == nil {
			continue // the token changed: each time it has grown, or somebody has deleted it
		}
		return cmds, err
	}
}

// exec is one attempt.
func (f *Fences) exec(ctx context.Context, tx *redis.Tx, p fence.Pass, fn func(redis.Pipeliner) error) ([]redis.Cmder, error) {
	newest, err := f.newest(ctx, tx, p.Name)
	if err != nil {
		return nil, err
	}
	if err = p.Against(newest); err != nil {
		return nil, err
	}
	own := 0
	cmds, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		if newest != p.Token { // else it would disturb others with the same token for nothing
			pipe.Set(ctx, f.key(p.Name), p.Token.String(), 0)
			own = 1
		}
		return fn(pipe)
	})
	return cmds[min(own, len(cmds)):], err
}

// newest reads the largest token, 0 when there is none.
func (f *Fences) newest(ctx context.Context, tx *redis.Tx, name string) (holdgate.Token, error) {
	text, err := tx.Get(ctx, f.key(name)).Result()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the fencing token of %q: %w", name, err)
	}
	token, err := holdgate.ParseToken(text)
	if err != nil {
		return 0, fmt.Errorf("the fencing token of %q, under the key %q: %w", name, f.key(name), err)
	}
	return token, nil
}
