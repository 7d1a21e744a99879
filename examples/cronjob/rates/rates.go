// Package rates fetches the exchange rates of a bank and publishes them to a shop, which refuses a
// machine whose lock went to another.
package rates

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/httpfence"
)

// Lock is the name of the lock that guards the rates, and of the job: the shop looks at its tokens.
const Lock = "rates"

// maxSize bounds what a bank may answer.
const maxSize = 1 << 20

// Job is what one machine does for all.
type Job struct {
	// Machine is how the job tells others who it is.
	Machine string
	// From is the bank's URL, To the shop's.
	From, To string
}

// Run does the job under a lock. What it did before it failed or died may be done again: the rates
// are fetched again, and published whole.
func (j *Job) Run(ctx context.Context, hold *holdgate.Hold) error {
	// The token is taken once, before the work: whatever happens meanwhile, what is
	// published at the end is published for this grant.
	pass, err := fence.Of(hold)
	if err != nil {
		return err
	}
	rates, err := j.fetch(ctx)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	// A machine that is paused here, or anywhere since, finds the door closed.
	if err = j.publish(fence.WithPass(ctx, pass), rates); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

func (j *Job) fetch(ctx context.Context) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, j.From, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "cronjob/"+j.Machine)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the bank answers %s", answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, maxSize))
}

// publish sends the rates, with the token that its context carries.
func (j *Job) publish(ctx context.Context, rates []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, j.To, bytes.NewReader(rates))
	if err != nil {
		return err
	}
	shop := http.Client{Transport: new(httpfence.Transport)}
	answer, err := shop.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if stale := httpfence.Refused(answer); stale != nil {
		return stale
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the shop answers %s", answer.Status)
	}
	return nil
}
