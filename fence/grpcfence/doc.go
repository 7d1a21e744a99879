// Package grpcfence carries fencing tokens over gRPC: the client interceptors send that of a
// hold with each call, the server interceptors refuse an older one.
//
// The token travels in the metadata fencing-token, as decimal text, the name of the lock in
// fencing-name-bin. A refusal has the code FAILED_PRECONDITION and an ErrorInfo with the
// reason STALE_FENCING_TOKEN, which [Refused] reads. A call without a token is refused with
// the same code and the reason NO_FENCING_TOKEN, one with what is no token with
// INVALID_ARGUMENT. ABORTED says that a call of an older holder did not end in time.
//
// # What it does not guarantee
//
// A stream is judged when it begins. A newer holder's call ends its context, and waits
// until its handler has returned.
//
// A gate knows the calls of its own process, since its start. A service of several
// processes, or one that is restarted, keeps the tokens with its data: give the interceptors
// no gate, and hand the pass of the call ([fence.FromContext]) to the transaction that
// writes; [Status] turns its answer into the same refusal.
package grpcfence
