// Package chaos is the history check on real servers: client processes on a cluster of
// three members of etcd, while both are killed, stopped and cut off from each other; and
// then two judges who look at what every process believed, and when.
//
// A seed is a plan: who there is, and what goes wrong when. A run carries it out in real
// time, so the same seed does not give the same history again, only one of its kind.
//
// # The parts
//
//   - chaos/client is a process that uses locks and writes down what it sees.
//   - test/proxy is the network between one process and one member.
//   - chaos/witness writes down the store's own history.
//   - internal/history judges all of it, and so does chaos/lockmodel, by Porcupine.
//
// Its negative controls are client processes that are built with a mistake in them: see
// controls_test.go.
package chaos
