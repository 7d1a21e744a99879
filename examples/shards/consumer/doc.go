// Package consumer is a member of a group that shares the shards of a stream of events: each
// shard is consumed by one member at a time, in order, and a member that was paused while its
// shard went to another changes nothing.
//
// Three things keep that apart. The members' list says who should have a shard: it may be a
// moment old, and two members may read it differently. A lock for each shard says who has it. And
// the database, which is shown the lock's token with every position that is written, refuses who
// had it.
package consumer
