package history

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// Log gathers events in memory. It is safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	events []Event
}

// Add appends an event.
func (l *Log) Add(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// Events returns a copy of what was added, in that order.
func (l *Log) Events() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// Writer writes events as JSON, one a line. It is safe for concurrent use. Each event
// is one Write, so what a process wrote before it was killed can be read.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
	err error
}

// NewWriter returns a Writer to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Add writes an event. After an error nothing more is written.
func (w *Writer) Add(e Event) {
	line, err := json.Marshal(e)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	if err == nil {
		_, err = w.out.Write(append(line, '\n'))
	}
	w.err = err
}

// Err returns what went wrong, if anything did.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Read reads what a Writer wrote. A last line that is cut off, as a killed process
// leaves it, is dropped.
func Read(in io.Reader) ([]Event, error) {
	var events []Event
	r := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		events = append(events, e)
	}
}

// Merge puts the histories of several processes in one order, that of time. Events of
// the same moment keep the order of their history, and that of the arguments.
func Merge(histories ...[]Event) []Event {
	events := slices.Concat(histories...)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return events
}
