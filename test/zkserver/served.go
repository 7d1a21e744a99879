package zkserver

import (
	"strconv"
	"strings"
	"testing"
)

// Served is what a server has done for its clients.
type Served struct {
	Writes  float64 // requests that a quorum had to agree on
	Reads   float64 // all others, pings too
	Syncs   float64 // of the disk
	Watches float64 // that stand now
}

// Served asks a server for its own count.
func (s *Server) Served(tb testing.TB) Served {
	tb.Helper()
	told := make(map[string]float64)
	for line := range strings.Lines(s.ask("mntr")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			told[name] = n
		}
	}
	for _, name := range []string{"zk_cnt_updatelatency", "zk_cnt_readlatency", "zk_cnt_fsynctime", "zk_watch_count"} {
		if _, ok := told[name]; !ok {
			tb.Fatalf("zookeeper %s does not count %s", s.name, name)
		}
	}
	return Served{
		Writes: told["zk_cnt_updatelatency"], Reads: told["zk_cnt_readlatency"],
		Syncs: told["zk_cnt_fsynctime"], Watches: told["zk_watch_count"],
	}
}

// Since is what came after an earlier count. Watches are not summed up, so that they are those
// that stand.
func (s Served) Since(before Served) Served {
	return Served{
		Writes: s.Writes - before.Writes, Reads: s.Reads - before.Reads,
		Syncs: s.Syncs - before.Syncs, Watches: s.Watches,
	}
}
