package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// feed is what all listeners to events share: one watch at the store, all lines as it told
// them last, and the names that changed lately. A listener keeps nothing but the number of
// the last change that it was sent, so that any number of them costs the feed nothing, and
// one that is slow finds several changes of a line as one.
type feed struct {
	s     *Server
	epoch string // of the numbers: those of another server, or before a restart, mean nothing

	mu      sync.Mutex
	begun   bool
	changed chan struct{}              // closed when there is something new, and replaced
	ready   bool                       // the lines are known
	err     error                      // the watch broke, and is begun anew
	lines   map[string]json.RawMessage // as all listeners are sent them
	last    uint64                     // the number of the newest change
	names   []string                   // of the changes, the newest last
}

// remembered is how many changes a listener may be behind and still be sent only those. Who
// is further behind is sent all lines.
const remembered = 1 << 16

func newFeed(s *Server) *feed {
	return &feed{s: s, epoch: rand.Text()[:8], changed: make(chan struct{}), lines: make(map[string]json.RawMessage)}
}

// begin begins the watch with the first listener.
func (f *feed) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.begun && f.s.ctx.Err() == nil {
		f.begun = true
		f.s.tasks.Go(f.follow) // until Close, which waits for it
	}
}

// follow watches, and begins anew when the watch broke.
func (f *feed) follow() {
	const pause = time.Second
	for {
		err := f.watch()
		if f.s.ctx.Err() != nil {
			return
		}
		f.broke(err)
		f.s.opts.Logger.LogAttrs(f.s.ctx, slog.LevelWarn, "watch for events broke", slog.String("error", err.Error()))
		select {
		case <-time.After(pause):
		case <-f.s.ctx.Done():
			return
		}
	}
}

func (f *feed) watch() error {
	for snap, err := range f.s.drv.Watch(f.s.ctx, driver.Query{Prefix: true}) {
		if err != nil {
			return err
		}
		f.s.history.take(snap)
		if err := f.take(snap); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: the watch ended", driver.ErrUnavailable)
}

// take takes in what the watch told. A line without places is kept only as the name of a
// change.
func (f *feed) take(snap driver.Snapshot) error {
	texts := make([]json.RawMessage, len(snap.Lines))
	for i, l := range snap.Lines {
		text, err := json.Marshal(api.LineOf(l))
		if err != nil {
			return err
		}
		texts[i] = text
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if snap.Full {
		f.missingLocked(snap.Lines)
	}
	for i, l := range snap.Lines {
		f.changeLocked(l.Name)
		if len(l.Places) == 0 {
			delete(f.lines, l.Name)
		} else {
			f.lines[l.Name] = texts[i]
		}
	}
	f.ready, f.err = true, nil
	f.wakeLocked()
	return nil
}

// missingLocked notes the lines that a full snapshot does not have any more.
func (f *feed) missingLocked(now []driver.Line) {
	names := make(map[string]struct{}, len(now))
	for _, l := range now {
		names[l.Name] = struct{}{}
	}
	for name := range f.lines {
		if _, ok := names[name]; !ok {
			delete(f.lines, name)
			f.changeLocked(name)
		}
	}
}

func (f *feed) changeLocked(name string) {
	f.last++
	if len(f.names) == 2*remembered {
		f.names = slices.Clone(f.names[remembered:])
	}
	f.names = append(f.names, name)
}

func (f *feed) wakeLocked() {
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *feed) broke(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	f.wakeLocked()
}

// fed is what a listener is sent.
type fed struct {
	Lines []json.RawMessage `json:"lines"`
	Full  bool              `json:"full"`
}

// news are the lines that match and changed after a number; all of them when the changes
// since then are not known any more, or from is unknown. It returns the newest number, and
// what is closed when there is more.
func (f *feed) news(q driver.Query, from uint64, known bool) (out fed, last uint64, more <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	more, last = f.changed, f.last
	if f.err != nil || !f.ready {
		return out, last, more, f.err
	}
	out.Lines = []json.RawMessage{}
	behind := f.last - from
	if !known || from > f.last || behind > uint64(len(f.names)) {
		out.Full = true
		f.allLocked(q, &out)
		return out, last, more, nil
	}
	changed := slices.Clone(f.names[len(f.names)-int(behind):])
	slices.Sort(changed)
	for _, name := range slices.Compact(changed) {
		if !q.Matches(name) {
			continue
		}
		text, ok := f.lines[name]
		if !ok {
			text = emptyLine(name)
		}
		out.Lines = append(out.Lines, text)
	}
	return out, last, more, nil
}

func (f *feed) allLocked(q driver.Query, out *fed) {
	var names []string
	for name := range f.lines {
		if q.Matches(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		out.Lines = append(out.Lines, f.lines[name])
	}
}

func emptyLine(name string) json.RawMessage {
	text, err := json.Marshal(api.LineOf(driver.Line{Name: name}))
	if err != nil {
		panic(err) // a string and an empty list
	}
	return text
}

// isReady waits until the feed knows the lines.
func (f *feed) isReady(ctx context.Context) error {
	f.begin()
	for {
		f.mu.Lock()
		ready, err, changed := f.ready, f.err, f.changed
		f.mu.Unlock()
		if ready || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// number reads the ID of an event. It is not known when another server, or this one
// before it was started again, has given it.
func (f *feed) number(id string) (n uint64, known bool) {
	epoch, text, ok := strings.Cut(id, "-")
	if !ok || epoch != f.epoch {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil
}

// id is the ID of an event.
func (f *feed) id(n uint64) string { return f.epoch + "-" + strconv.FormatUint(n, 10) }
