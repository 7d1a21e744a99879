package proxy

// Protocol makes what follows one connection.
type Protocol func() Wire

// Wire follows one connection, to tell which answer belongs to which request. Requests and
// Answers are called at the same time, each with all bytes that go its way, in order and in
// pieces of any length.
type Wire interface {
	// Requests returns the requests that are complete with these bytes and change
	// something, as far as the protocol can tell.
	Requests(b []byte) (ids []uint64)
	// Answers returns the answers that begin in these bytes.
	Answers(b []byte) []Answer
}

// Answer is one to the request of an ID.
type Answer struct {
	ID uint64
	// Void says that the request was not carried out, and comes again in another form.
	Void bool
}

// opaque is a wire of which nothing is known.
type opaque struct{}

func (opaque) Requests([]byte) []uint64 { return nil }
func (opaque) Answers([]byte) []Answer  { return nil }
