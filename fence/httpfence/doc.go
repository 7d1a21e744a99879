// Package httpfence carries fencing tokens over HTTP: [Transport] sends that of a hold with
// each request, [Handler] refuses an older one.
//
// The token travels in the header Fencing-Token, as decimal text, the name of the lock in
// Fencing-Name, percent-encoded. A refusal is application/problem+json (RFC 9457):
//
//	412  an older token: the lock was granted again since
//	428  no token
//	400  a token or a name that is none, or that of another lock
//	503  an older holder's request is still being served, and the client's patience ended
//
// The names and tokens in a refusal are members of the document: "name", "token",
// "newest", as strings.
//
// # What it does not guarantee
//
// A gate knows the requests of its own process, since its start. A service of several
// processes, or one that is restarted, keeps the tokens with its data: give Handler no gate,
// and hand the pass of the request ([fence.FromContext]) to the transaction that writes,
// see package sqlfence. [Refuse] turns its answer into the same document.
//
// Any client that is let in may send any token. It is a means against mistakes, not
// against enemies.
package httpfence
