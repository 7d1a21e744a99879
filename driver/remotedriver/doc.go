// Package remotedriver keeps locks in the store behind a server, over HTTP: for programs that
// cannot reach the store itself, or are not to have its password.
//
// # What it guarantees
//
// What the store behind the server guarantees, which Features tells: the server is another
// hop and nothing more. A session is carried on by whichever server answers, where the store
// lets it (api.Features.Attach), so that one may die at any moment. The caller counts its
// trust from before a renewal is sent, and the store from when it arrives there, later by
// the hop.
//
// # What it does not
//
//   - It does not retry. A call goes on with the next server by itself only when none was
//     reached yet; else when it is made again, as package holdgate does.
//   - Sessions hear of evictions by their renewals only: it has no nudges.
//   - Where the store does not let sessions be carried on (files, ZooKeeper), they end with
//     their server.
package remotedriver
