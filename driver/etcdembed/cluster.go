package etcdembed

import (
	"net/url"
	"slices"
	"strings"
)

// seat is a member of a new cluster, as Options.Cluster has it.
type seat struct {
	name string
	peer url.URL
}

const maxMembers = 7 // more make writes slower and nothing safer

func (s *settings) checkCluster() error {
	if len(s.Cluster) > 0 && len(s.Join) > 0 {
		return invalid("Join", "is for one that is not a founder of a new cluster")
	}
	for i, text := range s.Join {
		u, err := joinAddress(text, s.TLS)
		if err != nil {
			return err
		}
		s.Join = slices.Clone(s.Join) // the caller's is left as it is
		s.Join[i] = u
	}
	return s.checkSeats()
}

// joinAddress is a client address of another member.
func joinAddress(text string, files TLS) (string, error) {
	if strings.HasPrefix(text, "unix:") {
		u, err := socketAddress("Join", strings.TrimPrefix(text, "unix:"), TLS{})
		return u.String(), err
	}
	u, err := reachable("Join", text, files)
	return u.String(), err
}

func (s *settings) checkSeats() error {
	if n := len(s.Cluster); n == 0 {
		return nil
	} else if n < 2 || n > maxMembers {
		return invalid("Cluster", "has 2 to %d members, not %d", maxMembers, n)
	}
	for _, text := range s.Cluster {
		seat, err := s.parseSeat(text)
		if err != nil {
			return err
		}
		s.cluster = append(s.cluster, seat)
	}
	if _, ok := s.ownSeat(); !ok {
		return invalid("Cluster", "does not have this member's own address, %s", &s.peer.advertise)
	}
	return nil
}

func (s *settings) parseSeat(text string) (seat, error) {
	name, address, named := strings.Cut(text, "=")
	if !named {
		address = text
	}
	u, err := reachable("Cluster", address, s.PeerTLS)
	if err != nil {
		return seat{}, err
	}
	if !named {
		name = u.Host
	}
	switch {
	case name == "":
		return seat{}, invalid("Cluster", "%q has an empty name", text)
	case slices.ContainsFunc(s.cluster, func(t seat) bool { return t.name == name || t.peer == u }):
		return seat{}, invalid("Cluster", "%q is there twice", text)
	}
	return seat{name: name, peer: u}, nil
}

// ownSeat is this member's place in a new cluster.
func (s *settings) ownSeat() (seat, bool) {
	i := slices.IndexFunc(s.cluster, func(t seat) bool { return t.peer == s.peer.advertise })
	if i < 0 {
		return seat{}, false
	}
	return s.cluster[i], true
}

// initialCluster is a list of members in etcd's writing.
func initialCluster(seats []seat) string {
	texts := make([]string, len(seats))
	for i, t := range seats {
		texts[i] = t.name + "=" + t.peer.String()
	}
	return strings.Join(texts, ",")
}
