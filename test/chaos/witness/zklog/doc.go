// Package zklog is the witness of ZooKeeper: it reads the transaction logs of the servers
// when all is over. Positions are transactions (zxids).
//
// A transaction was committed if a majority of the servers has it in its log. Servers are
// killed here, but nobody pulls the plug, so that what one has written stays; and one that
// was written by the leader alone is cut off when that server comes back, or becomes
// everybody's.
package zklog
