package holdgate_test

import (
	"slices"
	"sync"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// faultTable says what goes wrong with the calls of one process, and counts them.
type faultTable struct {
	mu    sync.Mutex
	rules []*faultRule
	calls map[memdriver.Op]int
}

// faultRule applies to the next calls of an operation.
type faultRule struct {
	op    memdriver.Op // "": any
	times int          // how often; negative: always
	fault func(memdriver.Call) memdriver.Fault
}

func newFaultTable() *faultTable { return &faultTable{calls: make(map[memdriver.Op]int)} }

// inject is the memdriver.Injector of the process.
func (f *faultTable) inject(c memdriver.Call) memdriver.Fault {
	if rule := f.match(c.Op); rule != nil {
		return rule.fault(c)
	}
	return memdriver.Fault{}
}

func (f *faultTable) match(op memdriver.Op) *faultRule {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[op]++
	for _, r := range f.rules {
		if r.times != 0 && (r.op == op || r.op == "") {
			r.times--
			return r
		}
	}
	return nil
}

func (f *faultTable) add(r *faultRule) (lift func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, r)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.rules = slices.DeleteFunc(f.rules, func(have *faultRule) bool { return have == r })
	}
}

// next lets the next call of this operation go wrong.
func (f *faultTable) next(op memdriver.Op, fault memdriver.Fault) {
	f.add(&faultRule{op: op, times: 1, fault: func(memdriver.Call) memdriver.Fault { return fault }})
}

// always lets every call of this operation go wrong until it is lifted.
func (f *faultTable) always(op memdriver.Op, fault memdriver.Fault) (lift func()) {
	return f.add(&faultRule{op: op, times: -1, fault: func(memdriver.Call) memdriver.Fault { return fault }})
}

// ask lets a function decide on every call of this operation.
func (f *faultTable) ask(op memdriver.Op, decide func(memdriver.Call) memdriver.Fault) (lift func()) {
	return f.add(&faultRule{op: op, times: -1, fault: decide})
}

// stopNext holds the next call of this operation up before it is sent.
func (f *faultTable) stopNext(op memdriver.Op) *stopped {
	s := &stopped{reached: make(chan struct{}), goOn: make(chan struct{})}
	f.add(&faultRule{op: op, times: 1, fault: func(memdriver.Call) memdriver.Fault {
		close(s.reached)
		<-s.goOn
		return memdriver.Fault{}
	}})
	return s
}

// stopped is a call that is held up.
type stopped struct{ reached, goOn chan struct{} }

func (f *faultTable) clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = nil
}

// count returns how many calls of this operation there were.
func (f *faultTable) count(op memdriver.Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// total returns how many calls there were of these operations, or of all.
func (f *faultTable) total(ops ...memdriver.Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for op, calls := range f.calls {
		if len(ops) == 0 || slices.Contains(ops, op) {
			n += calls
		}
	}
	return n
}

// errStoreDown is what a store answers that is there and cannot serve.
var errStoreDown error = driver.ErrUnavailable

// eventLog keeps what a client tells about itself.
type eventLog struct {
	mu  sync.Mutex
	all []holdgate.Event
}

func (l *eventLog) add(e holdgate.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, e)
}

// of returns the events of one type, in order.
func (l *eventLog) of(kind holdgate.EventType) []holdgate.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var events []holdgate.Event
	for _, e := range l.all {
		if e.Type == kind {
			events = append(events, e)
		}
	}
	return events
}
