// Package server is locks over HTTP: an http.Handler over any store, so that a shell with
// curl, Python, Java or a browser stands in the same lines as Go programs.
//
// The resources are those of package driver, so that driver/remotedriver, which is Holdgate
// over this API, passes the same suite as every other driver. Beside them stand
// conveniences for people who write requests by hand. docs/http.md is the guide, and
// /v1/openapi.json, made from the types in driver/remotedriver/api, the reference.
//
// # What it guarantees
//
//   - It keeps nothing of its own. What a session holds is in the store, and any number of
//     servers run side by side over one store: whichever is asked carries the session on
//     (driver.Attacher). One may be killed at any moment; its clients go on with another.
//   - It grants nothing by itself: all is as safe as the store is, which /v1/features tells.
//   - A client that renews its own session counts its trust from before it sent the
//     renewal. The hop through the server makes that shorter, never longer.
//   - Every answer that is not a success is a problem (RFC 9457) with a stable code.
//
// # What it does not
//
//   - Where the store cannot carry a session on (files, ZooKeeper), it lives and ends with
//     the server that opened it, and other servers answer that they are not it.
//   - A session that is bound to a stream is renewed by the server. A client that does
//     not notice that its stream broke believes too long: it shall listen for the beats
//     that the stream carries, and fence what it does.
//   - Limits count what one server sees.
package server
