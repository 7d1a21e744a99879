package redisdriver

import (
	"context"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"
)

// maxLanes is how many pipelines may be under way at once. What comes while all are
// gathers, and goes with the next: no timers, and the busier, the larger the pipelines.
const maxLanes = 4

// maxPipeline bounds what one pipeline takes, so that the answers of large ones do not
// come late for all.
const maxPipeline = 64

// lanes send requests. Each request goes out once.
type lanes struct {
	d *Driver

	mu    sync.Mutex
	queue []*request
	busy  int
}

// request is one script that a caller wants to have run.
type request struct {
	script *script
	keys   []string
	args   []any
	simple simple

	answered chan struct{} // closed; then reply and err are set. nil if nobody awaits it
	reply    []any
	err      error
}

func newRequest(s *script, keys []string, args ...any) *request {
	return &request{script: s, keys: keys, args: args}
}

// awaited has the answer of a request told.
func (r *request) awaited() *request {
	if r.answered == nil {
		r.answered = make(chan struct{})
	}
	return r
}

func (r *request) told() {
	if r.answered != nil {
		close(r.answered)
	}
}

// start sends a request as soon as a lane is free: at once, by the caller itself, when one
// is, so that it is answered on return.
func (l *lanes) start(ctx context.Context, r *request) (answered, open bool) {
	l.mu.Lock()
	if l.busy < maxLanes && len(l.queue) == 0 {
		l.busy++
		l.mu.Unlock()
		l.d.sendWithin(ctx, r)
		return true, l.handOn()
	}
	l.queue = append(l.queue, r.awaited())
	l.mu.Unlock()
	return false, true
}

// add sends a request as soon as a lane is free, in the background.
func (l *lanes) add(r *request) bool {
	l.mu.Lock()
	l.queue = append(l.queue, r.awaited())
	if l.busy == maxLanes {
		l.mu.Unlock()
		return true
	}
	l.busy++
	l.mu.Unlock()
	return l.handOn()
}

// handOn gives a lane to what came meanwhile, if anything did.
func (l *lanes) handOn() bool {
	l.mu.Lock()
	if len(l.queue) == 0 {
		l.busy--
		l.mu.Unlock()
		return true
	}
	l.mu.Unlock()
	if l.d.task(l.work) { // ends when the queue is empty
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	return false
}

// withdraw takes a request back. It reports false when it is too late for that: it was
// sent, or is being.
func (l *lanes) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, r)
	if i < 0 {
		return false
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	return true
}

// work sends what is there, and what came meanwhile, until nothing is.
func (l *lanes) work() {
	for batch := l.take(); batch != nil; batch = l.take() {
		lane := l.d.connections.use()
		l.d.send(l.d.ctx, lane.client, batch)
		l.d.connections.done(lane, silent(batch))
	}
}

func (l *lanes) take() []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.busy--
		return nil
	}
	n := min(len(l.queue), maxPipeline)
	batch := slices.Clone(l.queue[:n])
	l.queue = slices.Delete(l.queue, 0, n)
	return batch
}

// sendWithin sends one request in its caller's goroutine. When the caller's context ends, the
// connection is taken from under it.
func (d *Driver) sendWithin(ctx context.Context, r *request) {
	batch, lane := []*request{r}, d.connections.use()
	stop := context.AfterFunc(ctx, lane.interrupter())
	d.send(ctx, lane.client, batch)
	gaveUp := !stop()
	d.connections.done(lane, !gaveUp && ctx.Err() == nil && silent(batch))
}

// send carries out a batch: what can go together as one script, see several.lua, and what
// that has left, by itself.
func (d *Driver) send(ctx context.Context, client redis.UniversalClient, batch []*request) {
	several, first := d.bundle(batch)
	d.sendAll(ctx, client, first)
	if left := several.unpack(); len(left) > 0 {
		d.sendAll(ctx, client, left)
	}
}

// sendAll runs the scripts by their names, and those that the server does not know, since
// it was started anew or told to forget them, by their source.
func (d *Driver) sendAll(ctx context.Context, client redis.UniversalClient, batch []*request) {
	var unknown []*request
	d.exchange(ctx, client, batch, (*request).bySHA)
	for _, r := range batch {
		if redis.HasErrorPrefix(r.err, "NOSCRIPT") {
			unknown = append(unknown, r)
			continue
		}
		r.told()
	}
	if unknown == nil {
		return
	}
	d.exchange(ctx, client, unknown, (*request).bySource)
	for _, r := range unknown {
		r.told()
	}
}

// commander makes the command that runs a request.
type commander func(*request, context.Context) once

// exchange sends requests as one pipeline and takes their answers.
func (d *Driver) exchange(ctx context.Context, client redis.UniversalClient, batch []*request, command commander) {
	switch {
	case d.opts.Replicas > 0 && slices.ContainsFunc(batch, func(r *request) bool { return r.script.lasts }):
		d.exchangeReplicated(ctx, client, batch, command)
	case len(batch) == 1:
		cmd := command(batch[0], ctx)
		_ = client.Process(ctx, cmd) // its error is in the command
		batch[0].reply, batch[0].err = cmd.Result()
	default:
		run(ctx, client.Pipeline(), batch, command)
	}
}

// run sends requests, and then some last commands, as one pipeline.
func run(ctx context.Context, pipe redis.Pipeliner, batch []*request, command commander, last ...redis.Cmder) {
	cmds := make([]once, len(batch))
	for i, r := range batch {
		cmds[i] = command(r, ctx)
		_ = pipe.Process(ctx, cmds[i])
	}
	for _, cmd := range last {
		_ = pipe.Process(ctx, cmd)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for i, r := range batch {
		r.reply, r.err = cmds[i].Result()
	}
}

// once is a command that the client must not repeat: a cluster's client would, though its
// retries are off.
type once struct{ *redis.SliceCmd }

// NoRetry says so.
func (once) NoRetry() bool { return true }

func (r *request) bySHA(ctx context.Context) once { return r.command(ctx, "evalsha", r.script.sha) }

func (r *request) bySource(ctx context.Context) once { return r.command(ctx, "eval", r.script.source) }

func (r *request) command(ctx context.Context, name, script string) once {
	args := make([]any, 0, 3+len(r.keys)+len(r.args))
	args = append(args, name, script, len(r.keys))
	for _, key := range r.keys {
		args = append(args, key)
	}
	return once{redis.NewSliceCmd(ctx, append(args, r.args...)...)}
}
