package etcdembed

import (
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// settings are Options that were checked, with the defaults filled in.
type settings struct {
	Options
	listen, advertise url.URL
	peer              peering
	cluster           []seat // of Options.Cluster
}

// peering is where a member meets the others. Zero: nowhere.
type peering struct{ listen, advertise url.URL }

func (p peering) none() bool { return p.listen.Host == "" }

// nowhere is what etcd records as the peer address of a member that has none. It wants one,
// and nobody can connect to port 0.
const nowhere = "http://127.0.0.1:0"

// Check says what is wrong with options that Start would refuse, by an *OptionError. It looks
// at the directory and at the files of TLS, and writes nothing.
func (o Options) Check() error {
	_, err := o.check()
	return err
}

func (o Options) check() (settings, error) {
	s := settings{Options: o}
	err := firstOf(s.checkDir, s.checkAccess, s.checkPeers, s.checkCluster, s.checkName, s.checkRest)
	return s, err
}

// checkAccess is all that a client has to know.
func (s *settings) checkAccess() error {
	return firstOf(func() error { return s.TLS.check("TLS") }, s.checkClients, s.checkUser)
}

func firstOf(checks ...func() error) error {
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) checkDir() error {
	if s.Dir == "" {
		return invalid("Dir", "is required: the directory for the member's data")
	}
	s.Dir = filepath.Clean(s.Dir)
	if err := checkMode(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // it will be made
}

func (s *settings) checkClients() (err error) {
	if s.Listen == "" {
		s.Listen = defaultListen
	}
	if s.listen, err = clientAddress("Listen", s.Listen, s.TLS); err != nil {
		return err
	}
	if s.Advertise == "" {
		s.advertise = advertised(s.listen)
		return nil
	}
	s.advertise, err = reachable("Advertise", s.Advertise, s.TLS)
	return err
}

// advertised is the address to give to others for one that is listened on.
func advertised(listen url.URL) url.URL {
	if !isWildcard(listen) {
		return listen
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	listen.Host = net.JoinHostPort(host, listen.Port())
	return listen
}

func (s *settings) checkPeers() error {
	if !s.PeerTLS.empty() && s.PeerTLS.CA == "" {
		return invalid("PeerTLS.CA", "is required: members know each other by it")
	}
	return firstOf(func() error { return s.PeerTLS.check("PeerTLS") }, s.checkPeerAddress)
}

func (s *settings) checkPeerAddress() (err error) {
	if s.ListenPeer == "" {
		switch {
		case s.AdvertisePeer != "":
			return invalid("AdvertisePeer", "needs an address to listen on for other members")
		case len(s.Cluster) > 0 || len(s.Join) > 0:
			return invalid("ListenPeer", "is required where there are other members")
		}
		return nil
	}
	if s.peer.listen, err = listening("ListenPeer", s.ListenPeer, s.PeerTLS); err != nil {
		return err
	}
	if s.peer.listen.Port() == "0" {
		return invalid("ListenPeer", "the others have to know the port")
	}
	if s.AdvertisePeer == "" {
		if isWildcard(s.peer.listen) {
			return invalid("AdvertisePeer", "is required, since other members are listened for on all addresses of the machine")
		}
		s.peer.advertise = s.peer.listen
		return nil
	}
	s.peer.advertise, err = reachable("AdvertisePeer", s.AdvertisePeer, s.PeerTLS)
	return err
}

func (s *settings) checkName() error {
	switch own, ok := s.ownSeat(); {
	case ok && s.Name != "" && s.Name != own.name:
		return invalid("Name", "is %q, but the list of the cluster has %q for this member", s.Name, own.name)
	case ok:
		s.Name = own.name
	case s.Name == "" && s.peer.none():
		s.Name = defaultName
	case s.Name == "":
		s.Name = s.peer.advertise.Host
	}
	if len(s.Name) > maxName || strings.ContainsAny(s.Name, "=,") || strings.ContainsFunc(s.Name, isUnprintable) {
		return invalid("Name", "is at most %d printable characters without '=' and ',', not %q", maxName, s.Name)
	}
	return nil
}

const maxName = 128

func isUnprintable(r rune) bool { return !unicode.IsGraphic(r) || r == unicode.ReplacementChar }

func (s *settings) checkUser() error {
	switch {
	case s.User == "" && s.Password != "":
		return invalid("User", "is required with a password")
	case s.User != "" && s.Password == "":
		return invalid("Password", "is required with a user")
	}
	return nil
}

func (s *settings) checkRest() error {
	switch {
	case s.Quota < 0 || s.Quota > 0 && s.Quota < leastQuota:
		return invalid("Quota", "is at least %d bytes, not %d", leastQuota, s.Quota)
	case s.Quota == 0:
		s.Quota = defaultQuota
	}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if s.LogLevel == nil {
		s.LogLevel = slog.LevelWarn
	}
	return nil
}
