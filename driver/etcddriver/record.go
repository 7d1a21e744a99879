package etcddriver

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// The value of a place is a header and the rest as JSON:
//
//	mutex/1/1 {"owner":"a-1","ttl":10,"data":{"job":7}}
//
// The header is kind, capacity and units. It comes first, so that one comparison of
// etcd's can tell whether all places of a line are of one kind and capacity (see
// sameUse), and so that a waiter can follow a line without reading JSON. The
// value of a mark has the word "evicted" for its units.

const markWord = "evicted"

// use is what a line is used for.
type use struct {
	kind     driver.Kind
	capacity int64
}

func useOf(c driver.Claim) use { return use{c.Kind, c.Capacity} }

// head begins the value of every place of this use, and of no other.
func (u use) head() string { return string(u.kind) + "/" + strconv.FormatInt(u.capacity, 10) + "/" }

// bounds are the values between which those of this use are, and no others: what
// begins with the head.
func (u use) bounds() (above, below string) {
	head := u.head()
	return head, head[:len(head)-1] + "0" // the byte after '/'
}

// identity is the part of a place's record that says whose it is.
type identity struct {
	Owner string `json:"owner,omitempty"`
	TTL   int64  `json:"ttl"` // seconds
}

// details is the JSON of a place.
type details struct {
	identity
	Data json.RawMessage `json:"data,omitempty"`
}

// notice is the JSON of a mark.
type notice struct {
	Line   string `json:"line,omitempty"`
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
}

// open is the beginning of the JSON of every place of a session, up to its data.
func (i identity) open() string {
	text, err := json.Marshal(i)
	if err != nil {
		panic(err) // a string and a number
	}
	return string(text[:len(text)-1])
}

// placeValue is the value of a place. The data was checked to be JSON.
func placeValue(u use, units int64, whose string, data []byte) []byte {
	b := make([]byte, 0, len(u.kind)+32+len(whose)+len(data)+10)
	b = append(b, u.head()...)
	b = strconv.AppendInt(b, units, 10)
	b = append(b, ' ')
	b = append(b, whose...)
	if len(data) > 0 {
		b = append(b, `,"data":`...)
		b = append(b, data...)
	}
	return append(b, '}')
}

// markValue is the value of a mark on a place of this use.
func markValue(u use, n notice) []byte {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // three strings
	}
	return append([]byte(u.head()+markWord+" "), text...)
}

// parseHeader reads the header of a value, and returns what is behind it.
func parseHeader(value string) (u use, units, rest string, ok bool) {
	header, rest, ok := strings.Cut(value, " ")
	if !ok || len(header) > 64 {
		return use{}, "", "", false
	}
	kind, numbers, ok := strings.Cut(header, "/")
	if !ok {
		return use{}, "", "", false
	}
	capacity, units, ok := strings.Cut(numbers, "/")
	n, err := strconv.ParseInt(capacity, 10, 64)
	if !ok || err != nil || n < 1 || n > driver.MaxCapacity || !isKind(kind) {
		return use{}, "", "", false
	}
	return use{driver.Kind(kind), n}, units, rest, true
}

func isKind(s string) bool {
	return s != "" && len(s) <= 16 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// parsePlace reads the header of a place's value. It reports false for what is no
// place of ours.
func parsePlace(value string) (u use, units int64, ok bool) {
	u, text, _, ok := parseHeader(value)
	if !ok {
		return use{}, 0, false
	}
	units, err := strconv.ParseInt(text, 10, 64)
	if err != nil || units < 0 || units > u.capacity {
		return use{}, 0, false
	}
	return u, units, true
}

// fill adds to a place what is behind the header of its value.
func fill(p *driver.Place, value string) error {
	_, _, rest, _ := parseHeader(value)
	var d details
	if err := json.Unmarshal([]byte(rest), &d); err != nil {
		return fmt.Errorf("the record of place %s in %q: %w", p.ID, p.Line, err)
	}
	p.Owner, p.TTL = d.Owner, time.Duration(d.TTL)*time.Second
	if len(d.Data) > 0 {
		p.Data = d.Data
	}
	return nil
}

// parseMark reads a mark.
func parseMark(value string) (notice, bool) {
	_, word, rest, ok := parseHeader(value)
	if !ok || word != markWord {
		return notice{}, false
	}
	var n notice
	return n, json.Unmarshal([]byte(rest), &n) == nil
}
