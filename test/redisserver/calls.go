package redisserver

import (
	"fmt"
	"strings"
)

// Calls returns how often these commands were run since the server began, by clients or by
// scripts.
func (s *Server) Calls(commands ...string) int {
	s.tb.Helper()
	stats, sum := s.Do("INFO", "commandstats"), 0
	for line := range strings.Lines(stats) {
		for _, command := range commands {
			rest, ok := strings.CutPrefix(line, "cmdstat_"+command+":calls=")
			if !ok {
				continue
			}
			var n int
			if _, err := fmt.Sscan(rest[:strings.IndexByte(rest, ',')], &n); err != nil {
				s.tb.Fatalf("%q: %v", line, err)
			}
			sum += n
		}
	}
	return sum
}
