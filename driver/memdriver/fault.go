package memdriver

import "time"

// Injector decides what goes wrong with a call. It is called once before every
// operation of a handle, in the caller's goroutine and with no lock held, so a test
// may block in it to stop a call at that point. It must be safe for concurrent use.
type Injector func(Call) Fault

// Call describes an operation.
type Call struct {
	Op Op
	// Line is the line, the key, or the name in the query; of a TryAll the first line.
	Line string
	// PlaceID is the place; of a Swap the new one, of a TryAll the first.
	PlaceID string
	// Session is the ID of the session, where there is one.
	Session string
}

// Op names an operation of the contract.
type Op string

// The operations. OpPush and OpPushKV are every snapshot of a watch after its first:
// of their faults only the delay of the answer and the error count.
const (
	OpOpen    Op = "open"
	OpAttach  Op = "attach"
	OpLine    Op = "line"
	OpWatch   Op = "watch"
	OpPush    Op = "push"
	OpEvict   Op = "evict"
	OpRenew   Op = "renew"
	OpPresent Op = "present"
	OpEnter   Op = "enter"
	OpWait    Op = "wait"
	OpUpdate  Op = "update"
	OpSwap    Op = "swap"
	OpLeave   Op = "leave"
	OpClose   Op = "close" // of a session
	OpTryAll  Op = "tryall"
	OpGet     Op = "get"
	OpPut     Op = "put"
	OpDelete  Op = "delete"
	OpWatchKV Op = "watchkv"
	OpPushKV  Op = "pushkv"
)

// Writes reports whether an operation changes the store, so that a lost answer
// leaves its outcome unknown.
func (o Op) Writes() bool {
	switch o {
	case OpAttach, OpLine, OpWatch, OpPush, OpPresent, OpWait, OpGet, OpWatchKV, OpPushKV:
		return false
	}
	return true
}

// Fault is what goes wrong with one call. The zero Fault is a call that works.
type Fault struct {
	// Delay is how long the request is under way. It cannot be called back: when the
	// caller gives up meanwhile, it is applied all the same, and later requests
	// may overtake it.
	Delay time.Duration
	// Stray lets a delayed request make its place even though a Leave of that place
	// overtook it: a store that cannot order the two.
	Stray bool
	// AnswerDelay is how long the answer is under way, or the wake-up of a Wait.
	AnswerDelay time.Duration
	// Lose is what gets lost.
	Lose Loss
	// Hang lets a call that lost something wait until its context ends. Without it
	// the call fails at once: with ErrUnavailable when its request was lost, with
	// ErrUnknownOutcome when its answer was and it may have changed something.
	Hang bool
	// Err is what the store answers instead of doing it.
	Err error
	// WakeEarly lets a Wait return at once, granted or not: a wake-up that was
	// delivered twice.
	WakeEarly bool
	// Applied, if not nil, is called once the store has done it and before the answer
	// is under way: a test cancels, evicts or expires something at this very point.
	Applied func()
}

// Loss is what the network loses of a call.
type Loss int

// What gets lost.
const (
	LoseNothing Loss = iota
	// LoseRequest: the store never sees the call.
	LoseRequest
	// LoseAnswer: the store does it, and the caller does not learn of it.
	LoseAnswer
)
