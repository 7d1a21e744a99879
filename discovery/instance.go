package discovery

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/membership"
)

// MaxWeight is the largest weight of an instance.
const MaxWeight = 1_000_000

// Instance is one process that serves, or one of its ports. ID, address and metadata together
// take at most about 3.6 KiB in JSON.
type Instance struct {
	// ID tells it from the other instances of the service: UTF-8 of 1 to 256 bytes without NUL.
	// A process that is started again shall use its old one, which it replaces.
	ID string `json:"id"`
	// Addr is where it is reached: "host:port".
	Addr string `json:"addr"`
	// Weight is how much work it takes beside the others, 1 to MaxWeight. Zero means 1.
	Weight int `json:"weight"`
	// Metadata is what else callers should know: a version, a zone.
	Metadata map[string]string `json:"metadata,omitempty"`

	// The rest is filled in for who looks on, and ignored by Register.

	// Owner is the owner text of its client, Registered since when its entry stands, on its own
	// clock.
	Owner      string    `json:"owner,omitempty"`
	Registered time.Time `json:"registered,omitzero"`
	// Token grows with each entry: of two instances the one with the larger token was registered, or
	// came back, later.
	Token holdgate.Token `json:"token,omitempty"`
}

// card is what an instance tells as a member.
type card struct {
	Addr     string            `json:"addr"`
	Weight   int               `json:"weight,omitempty"`
	Metadata map[string]string `json:"meta,omitempty"`
}

// encode checks an instance, but for its ID, and returns what it tells as a member.
func (in Instance) encode() (string, error) {
	host, port, err := net.SplitHostPort(in.Addr)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: the address of an instance is host:port: %w", holdgate.ErrInvalid, err)
	case host == "" || port == "":
		return "", fmt.Errorf("%w: the address of an instance is host:port, not %q", holdgate.ErrInvalid, in.Addr)
	case in.Weight < 0 || in.Weight > MaxWeight:
		return "", fmt.Errorf("%w: the weight of an instance is 1 to %d, not %d", holdgate.ErrInvalid, MaxWeight, in.Weight)
	}
	if err := checkText(in.Addr); err != nil {
		return "", err
	}
	for k, v := range in.Metadata {
		if k == "" {
			return "", fmt.Errorf("%w: a key of the metadata is empty", holdgate.ErrInvalid)
		}
		if err := checkText(k + v); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(card{Addr: in.Addr, Weight: in.Weight, Metadata: in.Metadata})
	return string(text), err
}

// checkText refuses what would not come out as it went in.
func checkText(text string) error {
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%w: an instance has only UTF-8 without NUL, %q is not", holdgate.ErrInvalid, text)
	}
	return nil
}

// instanceOf reports false for a member that is no instance.
func instanceOf(m membership.Member) (Instance, bool) {
	var c card
	if json.Unmarshal([]byte(m.Data), &c) != nil || c.Addr == "" {
		return Instance{}, false
	}
	return Instance{
		ID: m.ID, Addr: c.Addr, Weight: max(c.Weight, 1), Metadata: c.Metadata,
		Owner: m.Owner, Registered: m.Joined, Token: m.Token,
	}, true
}

// instancesOf finds the instances among members, in the same order: by ID.
func instancesOf(members []membership.Member) []Instance {
	instances := make([]Instance, 0, len(members))
	for _, m := range members {
		if in, ok := instanceOf(m); ok {
			instances = append(instances, in)
		}
	}
	return instances
}

// copied is the instance with a map of its own.
func (in Instance) copied() Instance {
	in.Metadata = maps.Clone(in.Metadata)
	return in
}
