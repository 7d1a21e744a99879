package redisserver

import (
	"strconv"
	"strings"
)

// Requests counts how often the server has read what clients sent. A pipeline comes in one
// read, unlike in a count of commands, which those of scripts are among, too.
func (s *Server) Requests() float64 { return s.number("stats", "total_reads_processed") }

// Changes counts what has been written since the server began: of one that never saves, which
// is how Start starts it.
func (s *Server) Changes() float64 { return s.number("persistence", "rdb_changes_since_last_save") }

// number is one of those that the server tells of itself.
func (s *Server) number(section, name string) float64 {
	s.tb.Helper()
	for line := range strings.Lines(s.Do("INFO", section)) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), name+":")
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			s.tb.Fatalf("%s: %v", name, err)
		}
		return n
	}
	s.tb.Fatalf("redis-server does not count %s", name)
	return 0
}
