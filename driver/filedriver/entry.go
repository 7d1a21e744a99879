package filedriver

import (
	"strconv"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// A place is one file, and its name says all that grants depend on, so that reading
// the directory decides them:
//
//	<order>-<id>-<session>-<kind>-<capacity>-<units>
//
// Order is hexadecimal of fixed width, so that names sort in line order. The file is
// never renamed while the place stands: a rename may hide it from a reader that is in
// the middle of the directory. What changes about a place lies beside it, under
// <order>-<id> and one of these:
const (
	sideWait  = ".wait" // somebody sleeps until this place is granted
	sideMark  = ".mark" // the eviction, JSON
	sideData  = ".data" // the version, a newline, the data
	sideUnits = ".to-"  // units, lowered to what follows; the least one counts
)

// nameFile holds the whole name of a line whose directory name is a hash.
const nameFile = ".name"

const (
	orderDigits   = 14
	idDigits      = 32
	sessionDigits = 24
	maxOrder      = 1<<55 - 1
	maxKind       = 16
	stemLen       = orderDigits + 1 + idDigits
)

// stem is the part of the name that a place shares with what lies beside it.
func stem(order uint64, id string) string {
	return string(appendStem(make([]byte, 0, stemLen), order, id))
}

func appendStem(b []byte, order uint64, id string) []byte {
	for shift := 4 * (orderDigits - 1); shift >= 0; shift -= 4 {
		b = append(b, hexDigits[order>>shift&15])
	}
	b = append(b, '-')
	return append(b, id...)
}

// fileName returns the name of a place's file.
func fileName(p *driver.Place) string {
	b := make([]byte, 0, 128)
	b = appendStem(b, p.Order, p.ID)
	b = append(b, '-')
	b = append(b, p.Session...)
	b = append(b, '-')
	b = append(b, p.Kind...)
	b = append(b, '-')
	b = strconv.AppendInt(b, p.Capacity, 10)
	b = append(b, '-')
	b = strconv.AppendInt(b, p.Units, 10)
	return string(b)
}

// parseFileName undoes fileName, and refuses what fileName does not write.
func parseFileName(name string) (driver.Place, bool) {
	var p driver.Place
	order, id, rest, ok := parseStem(name)
	if !ok || len(rest) < 1+sessionDigits+1 || rest[0] != '-' || rest[1+sessionDigits] != '-' {
		return p, false
	}
	session, rest := rest[1:1+sessionDigits], rest[1+sessionDigits+1:]
	kind, rest, ok := strings.Cut(rest, "-")
	if !ok || !isHex(session) || !isKind(kind) {
		return p, false
	}
	capacity, units, ok := strings.Cut(rest, "-")
	if !ok {
		return p, false
	}
	p = driver.Place{ID: id, Session: session, Order: order, Kind: driver.Kind(kind), Version: firstVersion}
	if p.Capacity, ok = parseCount(capacity); !ok || p.Capacity < 1 {
		return p, false
	}
	if p.Units, ok = parseCount(units); !ok || p.Units > p.Capacity {
		return p, false
	}
	return p, true
}

// parseStem splits a name after the stem.
func parseStem(name string) (order uint64, id, rest string, ok bool) {
	if len(name) <= stemLen || name[orderDigits] != '-' {
		return 0, "", "", false
	}
	id = name[orderDigits+1 : stemLen]
	if !isHex(name[:orderDigits]) || !isHex(id) {
		return 0, "", "", false
	}
	order, err := strconv.ParseUint(name[:orderDigits], 16, 64)
	if err != nil || order == 0 || order > maxOrder {
		return 0, "", "", false
	}
	return order, id, name[stemLen:], true
}

// parseCount reads a number of 0 to driver.MaxCapacity in its one canonical form.
func parseCount(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > driver.MaxCapacity || strconv.FormatInt(n, 10) != s {
		return 0, false
	}
	return n, true
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isKind(s string) bool {
	if s == "" || len(s) > maxKind {
		return false
	}
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}
