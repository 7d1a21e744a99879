// Package witness writes the store's own history, as etcd's members tell it: when places
// came to stand in their lines, and when they went.
//
// It reads the store's keys by itself, and shares no code with the driver that wrote them.
//
// # Time
//
// The order is that of etcd's revisions, and exact. The moment of a revision has two
// bounds. It was committed before a watch showed it. And it was committed after a
// linearizable read was sent that did not see it: such a read sees all that was committed
// before it was sent. So the witness reads all the time.
package witness
