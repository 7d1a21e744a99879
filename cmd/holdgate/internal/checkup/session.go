package checkup

import (
	"fmt"
	"slices"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// Session is one that has places, and what the store says of it.
type Session struct {
	ID     string
	TTL    time.Duration
	Places []Place
	// Silent is for how long the store has heard nothing of it.
	Silent time.Duration
	// Orphan is set when its process has ended.
	Orphan *show.Orphan
}

// Sessions are those that have places in these lines, in the order of their first ones.
func Sessions(lines []holdgate.Line) []*Session {
	var all []*Session
	byID := make(map[string]*Session)
	for _, l := range lines {
		for i, p := range l.Places {
			if p.Foreign || p.Session == "" {
				continue
			}
			s := byID[p.Session]
			if s == nil {
				s = &Session{ID: p.Session, TTL: p.TTL}
				byID[p.Session] = s
				all = append(all, s)
			}
			s.Places = append(s.Places, shown(l.Name, p, i+1))
		}
	}
	return all
}

// Judge tells what is wrong with a session. One that is well is renewed every quarter of its TTL, or
// more often.
func (s *Session) Judge() []Finding {
	f := Finding{Names: s.names(), Places: s.Places}
	first := s.Places[0]
	switch {
	case s.Orphan != nil:
		f.Problem = Orphan
		f.Says = []string{fmt.Sprintf("%s: %s", s.what(), s.Orphan)}
		f.Means = "The places stay for as long as that runs, and nobody can answer when they are asked to go."
		f.Do = []string{fmt.Sprintf("holdgate who %s # then end what keeps it", show.Text(first.Name))}
	case s.TTL > 0 && s.Silent > s.TTL/2:
		f.Problem = Overdue
		f.Says = []string{fmt.Sprintf("%s: not renewed for %s, of a TTL of %s", s.what(), show.Duration(s.Silent), show.Duration(s.TTL))}
		f.Means = "Its process was killed, is stopped, or does not reach the store. The store frees the places when the TTL is over."
		f.Do = []string{fmt.Sprintf("holdgate who %s # shows who follows", show.Text(first.Name))}
	default:
		return nil
	}
	return []Finding{f}
}

func (s *Session) names() []string {
	var names []string
	for _, p := range s.Places {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// what says whose session it is, and what it has.
func (s *Session) what() string {
	owner := "an unknown owner"
	if s.Places[0].Owner != "" {
		owner = show.Text(s.Places[0].Owner)
	}
	more := ""
	if n := len(s.names()) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("the session of %s, which has %s%s", owner, show.Text(s.Places[0].Name), more)
}
