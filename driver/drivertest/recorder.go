package drivertest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// recorder stands in for the test of one case. What fails is written down, and does
// not fail the test that it embeds.
type recorder struct {
	testing.TB
	ctx    context.Context //nolint:containedctx // a test has one, and Context returns it
	cancel context.CancelFunc

	mu       sync.Mutex
	failed   bool
	messages []string
	cleanups []func()
}

func newRecorder(tb testing.TB) *recorder {
	r := &recorder{TB: tb}
	r.ctx, r.cancel = context.WithCancel(tb.Context())
	return r
}

// run runs a case and then its clean-ups, each of which may end itself by FailNow.
func (r *recorder) run(f func()) {
	r.guarded(f)
	r.cancel()
	for cleanup := r.lastCleanup(); cleanup != nil; cleanup = r.lastCleanup() {
		r.guarded(cleanup)
	}
}

// guarded runs f in a goroutine that f may end, and awaits its end.
func (r *recorder) guarded(f func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
}

func (r *recorder) lastCleanup() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.cleanups) == 0 {
		return nil
	}
	last := r.cleanups[len(r.cleanups)-1]
	r.cleanups = r.cleanups[:len(r.cleanups)-1]
	return last
}

func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

func (r *recorder) Context() context.Context { return r.ctx }

func (r *recorder) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) FailNow() {
	r.Fail()
	runtime.Goexit()
}

func (r *recorder) Log(args ...any) { r.note(fmt.Sprintln(args...)) }

func (r *recorder) Logf(format string, args ...any) { r.note(fmt.Sprintf(format, args...)) }

func (r *recorder) note(message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, strings.TrimSpace(message))
}

func (r *recorder) Error(args ...any) {
	r.Log(args...)
	r.Fail()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.Logf(format, args...)
	r.Fail()
}

func (r *recorder) Fatal(args ...any) {
	r.Log(args...)
	r.FailNow()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Logf(format, args...)
	r.FailNow()
}
