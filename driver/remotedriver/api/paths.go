package api

// The paths of what remotedriver uses. Words in braces stand for one segment.
const (
	PathFeatures     = "/v1/features"
	PathSessions     = "/v1/sessions"
	PathSession      = "/v1/sessions/{session}"
	PathRenew        = "/v1/sessions/{session}/renew"
	PathPlaces       = "/v1/sessions/{session}/places"
	PathTryAll       = "/v1/sessions/{session}/try"
	PathPlace        = "/v1/sessions/{session}/places/{place}"
	PathWait         = "/v1/sessions/{session}/places/{place}/wait"
	PathSwap         = "/v1/sessions/{session}/places/{place}/swap"
	PathLine         = "/v1/line"
	PathLines        = "/v1/lines"
	PathWatch        = "/v1/watch"
	PathEvents       = "/v1/events"
	PathEvictions    = "/v1/evictions"
	PathEntry        = "/v1/entry"
	PathEntries      = "/v1/entries"
	PathWatchEntries = "/v1/entries/watch"
)

// Query parameters.
const (
	QueryName      = "name"
	QueryPrefix    = "prefix"
	QueryOrder     = "order"
	QueryDoubt     = "doubt"
	QueryWait      = "wait"
	QueryKey       = "key"
	QueryIfVersion = "if_version"
)

// Headers.
const (
	HeaderToken          = "Fencing-Token"
	HeaderIdempotencyKey = "Idempotency-Key"
	HeaderLastEventID    = "Last-Event-ID"
)

// The names of events in streams.
const (
	EventSnapshot = "snapshot" // data is a Snapshot, or Entries
	EventProblem  = "problem"  // data is a Problem; the stream ends
	EventSession  = "session"  // data is a Session
	EventGranted  = "granted"  // data is a Place
	EventWaiting  = "waiting"  // data is a Problem of that code
	EventEviction = "eviction" // data is an Eviction
)
