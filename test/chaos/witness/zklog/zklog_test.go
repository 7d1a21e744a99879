package zklog

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/test/chaos/witness"
)

// out writes as ZooKeeper does.
type out struct{ bytes.Buffer }

func (o *out) int(n int32) *out   { return o.put(n) }
func (o *out) long(n int64) *out  { return o.put(n) }
func (o *out) put(v any) *out     { _ = binary.Write(o, binary.BigEndian, v); return o }
func (o *out) text(s string) *out { o.int(int32(len(s))).WriteString(s); return o }

// entry is one of a log.
func entry(zxid, session int64, what int32, body *out) []byte {
	var e, all out
	e.long(session).int(1).long(zxid).long(1_700_000_000_000).int(what).Write(body.Bytes())
	all.long(int64(adler32.Checksum(e.Bytes()))).int(int32(e.Len())).Write(e.Bytes())
	all.WriteByte('B')
	return all.Bytes()
}

// create makes a node, with one entry in its list of who may what.
func create(path, data string) *out {
	o := new(out).text(path).text(data).int(1).int(31).text("world").text("anyone")
	o.WriteByte(1)
	return o.int(7)
}

func multi(ops ...any) *out {
	o := new(out).int(int32(len(ops) / 2))
	for i := 0; i < len(ops); i += 2 {
		o.int(int32(ops[i].(int))).text(ops[i+1].(*out).String())
	}
	return o
}

func writeLog(t *testing.T, dir, name string, entries ...[]byte) {
	t.Helper()
	var head out
	head.WriteString("ZKLG")
	head.int(2).long(0)
	text := slices.Concat(head.Bytes(), bytes.Join(entries, nil), make([]byte, 100))
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A place comes in a step with others, and goes by itself or with its session. What only one
// server of three has written was not committed.
func TestChanges(t *testing.T) {
	t.Parallel()
	const prefix, opSetData = "/holdgate", 5
	one, two := strings.Repeat("1", idLength), strings.Repeat("2", idLength)
	first := prefix + "/orders/_c_" + one + "-mutex.1.1-lock-0000000000"
	second := prefix + "/orders/_c_" + two + "-mutex.1.1-lock-0000000001"
	record := `{"owner":"p1","ttl":2000}`
	enter := func(path string) *out {
		return multi(opCreate, create(path, record), opSetData, new(out).text(prefix+"/orders").text("").int(3))
	}
	entries := [][]byte{
		entry(10, -7, opCreate, create(prefix+"/%sessions/0xaa", "")),
		entry(11, -7, opMulti, enter(first)),
		entry(12, 8, opMulti, enter(second)),
		entry(13, -7, opDelete, new(out).text(first)),
		entry(14, 9, opCloseSession, new(out).int(0)),
		entry(15, 8, opCloseSession, new(out).int(0)),
	}
	lone := entry(16, 8, opMulti, enter(second))
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	writeLog(t, dirs[0], "log.1", entries[:2]...)
	writeLog(t, dirs[0], "log.c", entries[2:]...)
	writeLog(t, dirs[1], "log.1", append(slices.Clone(entries), lone)...)
	writeLog(t, dirs[2], "log.1", entries[:1]...)
	committed, err := readAll(dirs)
	if err != nil {
		t.Fatal(err)
	}
	want := []witness.Change{
		{Position: 11, Came: true, Name: "orders", ID: one, Session: "0xfffffffffffffff9", Owner: "p1", Token: 11 << 8},
		{Position: 12, Came: true, Name: "orders", ID: two, Session: "0x8", Owner: "p1", Token: 12 << 8},
		{Position: 13, Name: "orders", ID: one, Session: "0xfffffffffffffff9"},
		{Position: 15, Name: "orders", ID: two, Session: "0x8", Ended: true},
	}
	if got := changes(prefix, committed); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// An entry that is cut off, or that was never finished, ends a log.
func TestCutOff(t *testing.T) {
	t.Parallel()
	whole := entry(1, 1, opDelete, new(out).text("/a"))
	for n := range len(whole) {
		dir := t.TempDir()
		spoiled := slices.Clone(whole)
		spoiled[n] ^= 0x40
		if n < 8 || n >= 12 { // another length is another entry
			writeLog(t, dir, "log.1", whole, spoiled, whole)
			if got, err := readDir(dir); err != nil || len(got) != 1 {
				t.Errorf("byte %d is wrong: got %v, %v", n, got, err)
			}
		}
	}
	if _, err := readDir(t.TempDir()); err == nil {
		t.Error("no log at all is no error")
	}
}
