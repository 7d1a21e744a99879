package memdriver

import (
	"fmt"
	"maps"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// What an operator, or other software, does to the store behind everybody's back.

// ExpireSession ends a session before its time, as an operator does who revokes it.
// It reports whether the session was there.
func (s *Store) ExpireSession(id string) bool {
	st := s.begin()
	defer s.end()
	r := st.sessions[id]
	if r == nil {
		return false
	}
	st.end(r)
	return true
}

// RemovePlace deletes a place, as an operator does who deletes its key. It reports
// whether the place was there.
func (s *Store) RemovePlace(line, id string) bool {
	st := s.begin()
	defer s.end()
	p := st.lines[line].find(id)
	if p == nil {
		return false
	}
	st.remove(p)
	return true
}

// PutForeign puts a place at the end of a line that other software made: it takes
// the whole capacity, and nobody knows whose it is. Its ID is any text.
func (s *Store) PutForeign(line, id string) error {
	if err := driver.CheckName(line); err != nil {
		return err
	}
	st := s.begin()
	defer s.end()
	if st.lines[line].find(id) != nil {
		return fmt.Errorf("%w: place %q stands in line %q", driver.ErrInvalid, id, line)
	}
	st.put(&place{Place: driver.Place{Line: line, ID: id, Version: 1, Foreign: true}})
	return nil
}

// Lines returns every line that has a place, sorted by name.
func (s *Store) Lines() []driver.Line {
	st := s.begin()
	defer s.end()
	return st.matching(driver.Query{Prefix: true})
}

// Sessions returns the IDs of the sessions that live.
func (s *Store) Sessions() []string {
	st := s.begin()
	defer s.end()
	return slices.Sorted(maps.Keys(st.sessions))
}
