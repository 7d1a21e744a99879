package redisdriver

import (
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
)

// simple says how lua/several.lua would carry a request out beside others, if its lock is
// free, or nobody else waits for it.
type simple struct {
	session, line string
	claim         bool
	args          []any // its part of the arguments; nil when only its own script can do it
}

// bundle is several requests of one session that go as one script.
type bundle struct {
	*request
	all []*request // claims first
}

// leastBundle is how many requests are worth a script for all of them.
const leastBundle = 3

// bundle takes from a batch what can go as one script, each line once, so that nothing
// depends on the order in it. It returns what is to be sent at first. In a cluster, whose servers want
// to be told all keys, and where replicas are waited for, that is the batch.
func (d *Driver) bundle(batch []*request) (_ *bundle, first []*request) {
	if len(batch) < leastBundle || !d.keys.alone.Load() || d.opts.Replicas > 0 {
		return nil, batch
	}
	var claims, leaves []*request
	session, lines := "", make(map[string]bool, len(batch))
	for _, r := range batch {
		m := &r.simple
		switch {
		case m.args == nil, session != "" && m.session != session, lines[m.line]:
			first = append(first, r)
			continue
		case m.claim:
			claims = append(claims, r)
		default:
			leaves = append(leaves, r)
		}
		session, lines[m.line] = m.session, true
	}
	all := append(claims, leaves...)
	if len(all) < leastBundle {
		return nil, batch
	}
	args := append(make([]any, 0, 2+6*len(all)), session, strconv.Itoa(len(claims)))
	for _, r := range all {
		args = append(args, r.simple.args...)
	}
	b := &bundle{newRequest(d.scripts.several, d.keys.first, args...), all}
	return b, append(first, b.request)
}

// unpack gives each request its answer, and returns those that have to be sent by themselves:
// all, when the server has refused the script.
func (b *bundle) unpack() (left []*request) {
	if b == nil {
		return nil
	}
	if b.refused() {
		return b.all
	}
	for i, r := range b.all {
		if r.err = b.err; r.err == nil && !r.take(b.reply[i]) {
			left = append(left, r)
			continue
		}
		r.told()
	}
	return left
}

// refused reports whether the server has said that nothing was done.
func (b *bundle) refused() bool {
	var answer redis.Error
	return errors.As(b.err, &answer) && !oneOf(kindOf(b.err, b.script), driver.ErrUnknownOutcome)
}

// take takes what lua/several.lua answers for a request, as what its own script would have
// answered. It reports false when nothing was done.
func (r *request) take(answer any) bool {
	switch answer := answer.(type) {
	case string:
		r.reply = []any{saysGranted, answer}
	case int64:
		r.reply = []any{saysOK}
	case error:
		r.err = answer
	default:
		return false
	}
	return true
}
