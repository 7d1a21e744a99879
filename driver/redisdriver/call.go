package redisdriver

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// call runs a script and awaits its answer, or the end of the caller's context. What was
// sent goes on then, and its outcome is unknown.
func (d *Driver) call(ctx context.Context, r *request) (reply, error) {
	if err := d.usable(ctx); err != nil {
		return nil, err
	}
	switch answered, open := d.lanes.start(ctx, r); {
	case !open:
		return nil, driver.ErrClosed
	case answered:
		return d.answer(ctx, r)
	}
	return d.await(ctx, r)
}

// callApart runs a script apart from its caller: it is answered on its connection also
// when the caller has given up.
func (d *Driver) callApart(ctx context.Context, r *request) (reply, error) {
	if err := d.begin(ctx, r); err != nil {
		return nil, err
	}
	return d.await(ctx, r)
}

// callAll runs scripts at once, in as few pipelines as it takes. It returns the first error.
func (d *Driver) callAll(ctx context.Context, all []*request) ([]reply, error) {
	for _, r := range all {
		if err := d.begin(ctx, r); err != nil {
			return nil, err
		}
	}
	answers := make([]reply, len(all))
	for i, r := range all {
		var err error
		if answers[i], err = d.await(ctx, r); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

func (d *Driver) begin(ctx context.Context, r *request) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	if !d.lanes.add(r) {
		return driver.ErrClosed
	}
	return nil
}

func (d *Driver) await(ctx context.Context, r *request) (reply, error) {
	select {
	case <-r.answered:
		return d.answer(ctx, r)
	default:
	}
	select {
	case <-r.answered:
		return d.answer(ctx, r)
	case <-ctx.Done():
		return nil, gaveUp(ctx, !d.lanes.withdraw(r), r.script)
	case <-d.ctx.Done():
		return nil, driver.ErrClosed
	}
}

// answer is what came of a request, for its caller.
func (d *Driver) answer(ctx context.Context, r *request) (reply, error) {
	switch {
	case r.err == nil:
		return r.reply, nil
	case ctx.Err() != nil && d.ctx.Err() == nil:
		return nil, gaveUp(ctx, true, r.script)
	default:
		return nil, d.explain(r.err, r.script)
	}
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
