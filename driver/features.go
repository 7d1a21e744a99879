package driver

import "time"

// Safety says under which faults two holders are excluded.
type Safety int

const (
	// SafetyBestEffort: excludes while the store keeps its data and its clock; a
	// failover or a restart may forget a place that was granted.
	SafetyBestEffort Safety = iota + 1
	// SafetySingleMachine: excludes processes of one machine.
	SafetySingleMachine
	// SafetyLinearizable: excludes as long as the store keeps its own promise, through
	// crashes, partitions and changes of leader.
	SafetyLinearizable
)

func (s Safety) String() string {
	switch s {
	case SafetyBestEffort:
		return "best effort"
	case SafetySingleMachine:
		return "single machine"
	case SafetyLinearizable:
		return "linearizable"
	}
	return "unknown"
}

// Layout says how a line is kept in the store.
type Layout string

const (
	// LayoutQueue is a line of places: first come, first served.
	LayoutQueue Layout = "queue"
	// LayoutSingle is one key that is there or not, as much other software has it.
	// There is no order among those who wait, and only capacity 1.
	LayoutSingle Layout = "single"
)

// Features says what a store can and cannot promise.
type Features struct {
	// Store is the name of the store: "memory", "files", "etcd".
	Store  string
	Safety Safety
	Layout Layout

	// MinTTL and MaxTTL bound what Open takes; 0 is no bound.
	MinTTL, MaxTTL time.Duration
	// ExpirySlack is how late after its TTL the store may free a session; 0 also where
	// sessions do not expire by time, which Session.TTL tells.
	ExpirySlack time.Duration
	// RenewLag is how long after a Renew was answered the store may still count from
	// the one before it; 0 where the answer is the proof.
	RenewLag time.Duration

	// Tokens says that Place.Order is set and increases.
	Tokens bool
	// Fair says that places are granted in the order in which they entered.
	Fair bool
	// Shared says that lines of a capacity above 1, and places of 0 units, work.
	Shared bool
	// TryMayFailSpuriously says that two tries at once may each see the other and
	// both answer ErrBusy.
	TryMayFailSpuriously bool
	// KV says that the driver implements KV.
	KV bool
	// TryAll says that its sessions implement AllTrier.
	TryAll bool
	// Inherit says that its sessions implement Inheriter.
	Inherit bool
	// Nudge says that its sessions implement Nudger.
	Nudge bool
	// Attach says that the driver implements Attacher.
	Attach bool
}
