package zkdriver

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// record is the data of a place's node: what is shown, and decides nothing.
type record struct {
	// ID and Kind are told by the node's name, except in the layout "single".
	ID   string      `json:"id,omitempty"`
	Kind driver.Kind `json:"kind,omitempty"`

	Owner string `json:"owner,omitempty"`
	TTL   int64  `json:"ttl"` // in milliseconds
	// Version is that of the contract: a mark does not change it, unlike ZooKeeper's own.
	Version  uint64          `json:"version"`
	Eviction *notice         `json:"eviction,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// notice is the mark of a place that was asked to go.
type notice struct {
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

// encode writes JSON as it was given: escapes for HTML would make it longer than it may be.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts, numbers, and JSON that was checked
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// seen is a place's node as it was read.
type seen struct {
	record
	stat zk.Stat
}

// parseRecord reads the data of a node. What it does not understand it shows as empty.
func parseRecord(data []byte, stat *zk.Stat) seen {
	s := seen{stat: *stat}
	if json.Unmarshal(data, &s.record) != nil {
		s.record = record{}
	}
	return s
}

// fill completes a place with what its node says.
func (s seen) fill(p driver.Place) driver.Place {
	if s.stat.EphemeralOwner != 0 {
		p.Session = sessionText(s.stat.EphemeralOwner)
	}
	if p.Foreign {
		return p
	}
	p.Owner, p.TTL = s.Owner, time.Duration(s.TTL)*time.Millisecond
	p.Data = bytes.Clone(s.Data)
	p.Order, p.Version = uint64(s.stat.Czxid), s.Version
	if s.Eviction != nil {
		p.Eviction = &driver.Eviction{Line: p.Line, PlaceID: p.ID, Reason: s.Eviction.Reason, By: s.Eviction.By}
	}
	return p
}
