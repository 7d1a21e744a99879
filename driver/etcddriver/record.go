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
//	mutex/1/1 5bf9...e1 {"owner":"a-1","ttl":10,"data":{"job":7}}
//
// The header is kind, capacity and units, then the ID. Kind and capacity come first, so
// that etcd can compare whether all places of a line are of one use (see sameUse),
// and the header is plain, so that a waiter can follow a line without reading JSON.
// The value of a mark has the word "evicted" for its units.

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
func placeValue(u use, units int64, id, whose string, data []byte) []byte {
	b := make([]byte, 0, len(u.kind)+len(id)+len(whose)+len(data)+48)
	b = append(b, u.head()...)
	b = strconv.AppendInt(b, units, 10)
	b = append(b, ' ')
	b = append(b, id...)
	b = append(b, ' ')
	b = append(b, whose...)
	if len(data) > 0 {
		b = append(b, `,"data":`...)
		b = append(b, data...)
	}
	return append(b, '}')
}

// markValue is the value of a mark on a place of this use.
func markValue(u use, placeID string, n notice) []byte {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // three strings
	}
	return append([]byte(u.head()+markWord+" "+placeID+" "), text...)
}

// header is the plain part of a value.
type header struct {
	use
	units string // a number, or markWord
	id    string
	rest  string // what is behind it
}

// parseHeader reads the header of a value. It reports false for what is not ours.
func parseHeader(value string) (header, bool) {
	var h header
	first, behind, ok := strings.Cut(value, " ")
	kind, numbers, ok2 := strings.Cut(first, "/")
	capacity, units, ok3 := strings.Cut(numbers, "/")
	if !ok || !ok2 || !ok3 || !isKind(kind) {
		return h, false
	}
	n, err := strconv.ParseInt(capacity, 10, 64)
	if err != nil || n < 1 || n > driver.MaxCapacity {
		return h, false
	}
	h.use, h.units = use{driver.Kind(kind), n}, units
	h.id, h.rest, ok = strings.Cut(behind, " ")
	return h, ok && driver.CheckID(h.id) == nil
}

func isKind(s string) bool {
	return s != "" && len(s) <= 16 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

// parsePlace reads the header of a place's value.
func parsePlace(value string) (h header, units int64, ok bool) {
	h, ok = parseHeader(value)
	if !ok {
		return h, 0, false
	}
	units, err := strconv.ParseInt(h.units, 10, 64)
	return h, units, err == nil && units >= 0 && units <= h.capacity
}

// fill adds to a place what is behind the header of its value.
func fill(p *driver.Place, value string) error {
	h, _ := parseHeader(value)
	var d details
	if err := json.Unmarshal([]byte(h.rest), &d); err != nil {
		return fmt.Errorf("the record of place %s in %q: %w", p.ID, p.Line, err)
	}
	p.Owner, p.TTL = d.Owner, time.Duration(d.TTL)*time.Second
	if len(d.Data) > 0 {
		p.Data = d.Data
	}
	return nil
}

// isMark reports whether a value is that of a mark, and of which place.
func isMark(value string) (placeID string, ok bool) {
	h, ok := parseHeader(value)
	return h.id, ok && h.units == markWord
}

// parseMark reads a mark.
func parseMark(value string) notice {
	h, _ := parseHeader(value)
	return readNotice([]byte(h.rest))
}

// readNotice reads what a mark says. It counts whatever that is.
func readNotice(text []byte) (n notice) {
	_ = json.Unmarshal(text, &n)
	return n
}
