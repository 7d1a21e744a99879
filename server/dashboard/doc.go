// Package dashboard is the page that holdgated shows at its root: who holds what, who waits,
// and why nothing moves. It is one more client of the API under /v1: it knows nothing that
// curl could not ask for, and may do nothing that its user may not.
//
// # What it guarantees
//
//   - It is served as it lies in assets, without a step that builds it, and asks no other
//     server for anything: its policy forbids the browser to.
//   - Nothing that a lock, an owner or a reason says becomes markup or script.
//   - No other site can frame it, so that nobody can be brought to click on what is in it.
//
// # What it does not
//
//   - It has no rights of its own. The files are for everybody; what they show is asked for
//     with the token, or the certificate, of who looks.
package dashboard
