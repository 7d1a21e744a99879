package memdriver

// Watchers is how many watches the store has registered.
func Watchers(s *Store) int {
	st := s.begin()
	defer s.end()
	return len(st.lineWatches.watchers) + len(st.entryWatches.watchers)
}

// AlarmIsSet reports whether the store has a timer running, and stops it.
func AlarmIsSet(s *Store) bool {
	s.begin()
	defer s.end()
	return s.alarm.Stop()
}
