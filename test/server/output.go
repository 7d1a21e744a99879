package server

import (
	"bytes"
	"context"
	"sync"
)

// Output is what one life of a server has printed so far.
type Output struct {
	mu    sync.Mutex
	text  []byte
	news  chan struct{} // closed when there is more
	inUse chan struct{} // closed when the server found an address in use
}

func newOutput() *Output {
	return &Output{news: make(chan struct{}), inUse: make(chan struct{})}
}

// kept bounds how much is kept, of the newest.
const kept = 1 << 20

// inUseText is how servers say it, but for the first letter.
var inUseText = []byte("ddress already in use")

// Write appends what the server prints.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fresh := max(0, len(o.text)-len(inUseText))
	o.text = append(o.text, b...)
	if bytes.Contains(o.text[fresh:], inUseText) && !isClosed(o.inUse) {
		close(o.inUse)
	}
	if more := len(o.text) - kept; more > 0 {
		o.text = bytes.Clone(o.text[more:])
	}
	close(o.news)
	o.news = make(chan struct{})
	return len(b), nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Text is all of it.
func (o *Output) Text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// Await returns when the server has printed one of these.
func (o *Output) Await(ctx context.Context, texts ...string) error {
	for {
		o.mu.Lock()
		news := o.news
		for _, text := range texts {
			if bytes.Contains(o.text, []byte(text)) {
				o.mu.Unlock()
				return nil
			}
		}
		o.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
