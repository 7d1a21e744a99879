package etcddriver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// layout says which key is what:
//
//	<lines>/<escaped name>/<spot>           a place; with Verbatim <lines><name>/<spot>
//	<lines>/<escaped name>/<spot>.evicted   the mark of a place that was asked to go
//	<lines><name>                           in the layout "single", the whole lock
//	<records>/%sessions/<lease>             a session
//	<records>/%sessions/<lease>/<ID>        the same mark, where the session's Renew finds it
//	<records>/%kv/<escaped key>             an entry of driver.KV
//
// No escaped name begins with "%s" or "%k", so that records may stand beside lines.
type layout struct {
	lines, records string
	verbatim       bool
	single         bool // and so verbatim
}

const (
	sessionDir = "/%sessions/"
	kvDir      = "/%kv/"
	markSuffix = ".evicted"
)

func newLayout(o Options) layout {
	l := layout{lines: o.Prefix + "/", records: o.Records, verbatim: o.Verbatim, single: o.Layout == driver.LayoutSingle}
	if o.Verbatim {
		l.lines = o.Prefix
	}
	return l
}

// check refuses a name under which the driver itself keeps something.
func (l layout) check(name string) error {
	if err := driver.CheckName(name); err != nil {
		return err
	}
	if !l.verbatim {
		return nil
	}
	at := l.line(name)
	for _, dir := range []string{l.records + sessionDir, l.records + kvDir} {
		if strings.HasPrefix(dir, at) && !l.single || strings.HasPrefix(at, dir) {
			return fmt.Errorf("%w: the driver keeps its records under %q, so that %q cannot be a line", driver.ErrInvalid, dir, name)
		}
	}
	return nil
}

// line is what the keys of a line's places begin with.
func (l layout) line(name string) string {
	if l.single {
		return l.itself(name)
	}
	return l.itself(name) + "/"
}

// itself is the key that a line has for its name. In the layout "single" it is the lock,
// else none of the line's.
func (l layout) itself(name string) string {
	if l.verbatim {
		return l.lines + name
	}
	return l.lines + escape(name)
}

// apart reports whether the keys of two lines are always disjoint ranges. Of names that are
// used as they are, one may be above the other.
func (l layout) apart() bool { return !l.verbatim }

// below is the range of what would be the places of a line, were it a queue.
func (l layout) below(name string) keyRange { return under(l.itself(name) + "/") }

// places is the range of all keys of a line.
func (l layout) places(name string) keyRange {
	if l.single {
		return one(l.line(name))
	}
	return under(l.line(name))
}

// named is the range of all keys of lines whose name begins with prefix.
func (l layout) named(prefix string) keyRange {
	if l.verbatim {
		return under(l.lines + prefix)
	}
	return under(l.lines + escape(prefix))
}

// parse tells which line a key is in. It reports false for what is in none.
func (l layout) parse(key string) (name string, ok bool) {
	if strings.HasPrefix(key, l.records+sessionDir) || strings.HasPrefix(key, l.records+kvDir) {
		return "", false
	}
	rest, ok := strings.CutPrefix(key, l.lines)
	if !ok {
		return "", false
	}
	if l.single {
		return valid(rest)
	}
	if l.verbatim {
		i := strings.LastIndexByte(rest, '/')
		if i < 0 {
			return "", false
		}
		return valid(rest[:i])
	}
	segment, _, ok := strings.Cut(rest, "/")
	if !ok {
		return "", false
	}
	name, err := unescape(segment)
	if err != nil {
		return "", false
	}
	return valid(name)
}

func valid(name string) (string, bool) {
	if driver.CheckName(name) != nil {
		return "", false
	}
	return name, true
}

// session is the key of a session's record.
func (l layout) session(lease int64) string { return l.records + sessionDir + leaseText(lease) }

// mark is the key of a place's mark beside the record of its session.
func (l layout) mark(lease int64, placeID string) string { return l.session(lease) + "/" + placeID }

// entry is the key of an entry of driver.KV.
func (l layout) entry(key string) string { return l.records + kvDir + escape(key) }

// entries is the range of all entries whose key begins with prefix.
func (l layout) entries(prefix string) keyRange { return under(l.records + kvDir + escape(prefix)) }

// parseEntry tells the name of an entry.
func (l layout) parseEntry(key string) (name string, ok bool) {
	segment, ok := strings.CutPrefix(key, l.records+kvDir)
	if !ok {
		return "", false
	}
	name, err := unescape(segment)
	return name, err == nil
}

// leaseText is a lease as etcdctl writes it: the ID of a session.
func leaseText(lease int64) string {
	const digits = 16
	s := strconv.FormatUint(uint64(lease), 16)
	return strings.Repeat("0", digits-len(s)) + s
}

// keyRange is all keys from one, to before another; with no end it is one key.
type keyRange struct{ from, end string }

func one(key string) keyRange { return keyRange{from: key} }

// under is the range of all keys that begin with prefix.
func under(prefix string) keyRange {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return keyRange{from: prefix, end: prefix[:i] + string([]byte{prefix[i] + 1})}
		}
	}
	return keyRange{from: "\x00", end: "\x00"} // all keys there are
}

// traces is the range of all that belongs to one place: its key and its mark.
func traces(placeKey string) keyRange { return keyRange{from: placeKey, end: placeKey + "/"} }

// withMarks is the range of a session's record and its marks.
func withMarks(sessionKey string) keyRange { return keyRange{from: sessionKey, end: sessionKey + "0"} }
