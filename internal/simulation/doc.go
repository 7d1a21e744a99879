// Package simulation runs many clients over the faulty memory store, in a synctest
// bubble, and lets package history judge what they saw: one seed is one schedule of
// messages, losses, pauses, kills and evictions. docs/testing.md says more.
//
// It is all in its tests, which use the packages of this module as any program does.
// Randomness is the one thing that they take from a client's hands, by way of
// testing/cryptotest: a seed must make the same IDs and the same jitter again.
package simulation
