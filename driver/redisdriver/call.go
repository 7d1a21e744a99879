package redisdriver

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// call runs a script and awaits its answer, or the end of the caller's context: the
// client itself does not look at a cancelled one while it reads. What was sent goes on
// then, and its outcome is unknown.
func (d *Driver) call(ctx context.Context, r *request) (reply, error) {
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
	case <-ctx.Done():
		return nil, gaveUp(ctx, !d.lanes.withdraw(r), r.script)
	case <-d.ctx.Done():
		return nil, driver.ErrClosed
	}
	if r.err != nil {
		return nil, d.explain(r.err, r.script)
	}
	return r.reply, nil
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
