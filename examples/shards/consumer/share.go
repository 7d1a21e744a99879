package consumer

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// Share returns the shards that a member should have, by rendezvous hashing (Thaler and Ravishankar,
// 1998): each shard goes to the member whose name hashes highest with it. All who know the same
// members agree, and when one comes or goes only its own shards move.
func Share(members []string, me string, shards int) []int {
	var mine []int
	for shard := range shards {
		if highest(members, shard) == me {
			mine = append(mine, shard)
		}
	}
	return mine
}

// highest returns the member that a shard goes to, "" when there is none.
func highest(members []string, shard int) (best string) {
	var most uint64
	for _, m := range members {
		if w := weight(m, shard); best == "" || w > most || w == most && m < best {
			best, most = m, w
		}
	}
	return best
}

func weight(member string, shard int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", shard, member))
	return binary.BigEndian.Uint64(sum[:])
}
