package zkdriver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// layout says which node is what:
//
//	<prefix>/<escaped name>                                   a line, a container node
//	<prefix>/<line>/_c_<ID>-<kind>.<capacity>.<units>-lock-N  a place, ephemeral and sequential
//	<prefix>/<line>/_u_<ID>-<units>                           beside a place that lowered its units
//	<records>/%sessions/<session>                             a session, ephemeral
//	<records>/%kv/<escaped key>                               an entry of driver.KV
//
// With verbatim names <prefix><name> is a line, or the whole lock in the layout "single".
// No escaped name begins with "%s" or "%k", so that these two may stand beside lines. All
// that a grant depends on is in the names, so that a list of them, which is one moment,
// decides it. Software that sorts by what follows "lock-" takes a place for its own.
type layout struct {
	prefix, records string
	verbatim        bool
}

func newLayout(o Options) layout {
	return layout{prefix: o.Prefix, records: o.Records, verbatim: o.Verbatim}
}

func (l layout) line(name string) string {
	if l.verbatim {
		return l.prefix + name
	}
	return l.prefix + "/" + escape(name)
}

// check refuses what cannot be the name of a line.
func (l layout) check(name string) error {
	if err := driver.CheckName(name); err != nil || !l.verbatim {
		return err
	}
	path := l.line(name)
	if !isPath(path) {
		return fmt.Errorf("%w: a verbatim name is, with the prefix before it, the absolute path of a node: %q is not", driver.ErrInvalid, path)
	}
	for _, own := range []string{l.sessions(), l.entries()} {
		if within(own, path) || within(path, own) {
			return fmt.Errorf("%w: the driver keeps its records at %q, so that %q cannot be a line", driver.ErrInvalid, own, name)
		}
	}
	return nil
}

// within reports whether a path is that of a node, or of one below it.
func within(path, node string) bool { return path == node || strings.HasPrefix(path, node+"/") }

func (l layout) sessions() string         { return l.records + "/%sessions" }
func (l layout) session(id string) string { return l.sessions() + "/" + id }
func (l layout) entries() string          { return l.records + "/%kv" }
func (l layout) entry(key string) string  { return l.entries() + "/" + escape(key) }

// sessionText is how ZooKeeper's own tools write a session.
func sessionText(id int64) string { return "0x" + strconv.FormatUint(uint64(id), 16) }

const (
	placeMark   = "_c_"
	unitsMark   = "_u_"
	lockMark    = "-lock-"
	idLen       = 32
	sequenceLen = 10 // at least: the sequence of a line that was used 2^31 times is negative
)

// placeNode is what the node of a claim's place is called, without its sequence.
func placeNode(c driver.Claim) string {
	return placeMark + c.ID + "-" + string(c.Kind) + "." + strconv.FormatInt(c.Capacity, 10) + "." + strconv.FormatInt(c.Units, 10) + lockMark
}

// unitsNode is what tells that a place has fewer units than it claimed.
func unitsNode(id string, units int64) string {
	return unitsMark + id + "-" + strconv.FormatInt(units, 10)
}

// parsePlace reads the name of a place of ours.
func parsePlace(node string) (p driver.Place, sequence int32, ok bool) {
	rest, ok := strings.CutPrefix(node, placeMark)
	if !ok || len(rest) < idLen || driver.CheckID(rest[:idLen]) != nil {
		return p, 0, false
	}
	p.ID = rest[:idLen]
	claimed, tail, ok := strings.Cut(rest[idLen:], lockMark)
	n, err := strconv.ParseInt(tail, 10, 32)
	if !ok || err != nil || len(tail) < sequenceLen {
		return p, 0, false
	}
	use := strings.Split(strings.TrimPrefix(claimed, "-"), ".")
	if len(use) != 3 {
		return p, 0, false
	}
	capacity, err1 := strconv.ParseInt(use[1], 10, 64)
	units, err2 := strconv.ParseInt(use[2], 10, 64)
	if err1 != nil || err2 != nil {
		return p, 0, false
	}
	p.Kind, p.Capacity, p.Units = driver.Kind(use[0]), capacity, units
	claim := driver.Claim{Line: "-", ID: p.ID, Kind: p.Kind, Capacity: capacity, Units: units}
	return p, int32(n), claim.Check() == nil
}

// parseUnits reads the name of a node that tells a place's units.
func parseUnits(node string) (id string, units int64, ok bool) {
	rest, ok := strings.CutPrefix(node, unitsMark)
	if !ok || len(rest) < idLen+2 || driver.CheckID(rest[:idLen]) != nil || rest[idLen] != '-' {
		return "", 0, false
	}
	units, err := strconv.ParseInt(rest[idLen+1:], 10, 64)
	return rest[:idLen], units, err == nil
}

// parseForeign finds the sequence of a node that other software made: it ends in one, as
// ZooKeeper appends it.
func parseForeign(node string) (sequence int32, ok bool) {
	if i := strings.LastIndex(node, lockMark); i >= 0 {
		n, err := strconv.ParseInt(node[i+len(lockMark):], 10, 32)
		return int32(n), err == nil
	}
	if len(node) < sequenceLen {
		return 0, false
	}
	n, err := strconv.ParseInt(node[len(node)-sequenceLen:], 10, 32)
	return int32(n), err == nil
}
