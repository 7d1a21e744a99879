package api

// Code is the kind of a problem. Codes are stable: programs go by them, not by texts.
type Code string

// The codes, with the status that each comes with.
const (
	CodeInvalid         Code = "invalid"         // 422: the request breaks a rule, which detail names
	CodeUnauthenticated Code = "unauthenticated" // 401: who are you?
	CodeDenied          Code = "denied"          // 403: not with your rights
	CodeNotFound        Code = "not-found"       // 404: the API has no such resource
	CodeGone            Code = "gone"            // 404: the place does not stand, or the key is not there
	CodeMethod          Code = "method"          // 405
	CodeBusy            Code = "busy"            // 409: a try was not granted; holder and ahead say by whom
	CodeWaiting         Code = "waiting"         // 409: not granted yet; the place keeps standing in line, see ticket
	CodeConflict        Code = "conflict"        // 409: the version is not the one in the store
	CodeMismatch        Code = "mismatch"        // 409: the line is used with another kind or capacity
	CodeLost            Code = "lost"            // 410: the session is gone, for good
	CodeTooLarge        Code = "too-large"       // 413
	CodeMisdirected     Code = "misdirected"     // 421: the session lives and ends with another server
	CodeLimit           Code = "limit"           // 429: the caller has as much as it may have
	CodeInternal        Code = "internal"        // 500: a fault of the server
	CodeUnsupported     Code = "unsupported"     // 501: this store cannot do that
	CodeUnavailable     Code = "unavailable"     // 503: the store was not reached; nothing happened
	CodeDraining        Code = "draining"        // 503: this server is about to stop; ask again, or another one
	CodeUnknownOutcome  Code = "unknown-outcome" // 504: the store's answer was lost; it may have happened
)

// ContentType is that of a [Problem] (RFC 9457).
const ContentType = "application/problem+json"

// Problem is every answer that is not a success.
type Problem struct {
	Type   string `json:"type" example:"urn:holdgate:problem:busy"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Code   Code   `json:"code" doc:"The kind of the problem. It is stable."`
	Detail string `json:"detail,omitempty" doc:"For people."`

	Holder *Place  `json:"holder,omitempty" doc:"Of busy and waiting: the first of the line, one that holds."`
	Ahead  int     `json:"ahead,omitempty" doc:"How many stand ahead."`
	Ticket string  `json:"ticket,omitempty" doc:"Of waiting: the place that keeps standing in line."`
	Errors []Fault `json:"errors,omitempty" doc:"Of invalid: each thing that is wrong."`
}

// Fault is one thing that is wrong with a request.
type Fault struct {
	Location string `json:"location,omitempty" example:"body.units"`
	Message  string `json:"message"`
}

// Error is the detail, so that a problem can be passed on as an error.
func (p *Problem) Error() string {
	if p.Detail != "" {
		return p.Detail
	}
	return p.Title
}

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of a problem, whatever the client accepts.
func (*Problem) ContentType(string) string { return ContentType }
