package redislog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/test/chaos/witness"
)

// wire is a command as the file has it.
func wire(words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b.String()
}

func step(commands ...string) string {
	return wire("MULTI") + strings.Join(commands, "") + wire("EXEC")
}

// A place comes with its record, says more about itself, and goes by itself, with its line,
// or with its session. What was not finished when the server died did not happen.
func TestChanges(t *testing.T) {
	t.Parallel()
	one, two, three := strings.Repeat("1", idLength), strings.Repeat("2", idLength), strings.Repeat("3", idLength)
	const root, line = "{h}:", "{h}:line:orders"
	file := strings.Join([]string{
		wire("SELECT", "0"),
		step(wire("HSET", root+"session:aa", "owner", "p1", "ttl", "2000"), wire("ZADD", root+"deadlines", "7", "s:aa")),
		wire("SET", markKey, "1"),
		step(wire("hset", line, "kind", "mutex", "held", "1", "only", one, one, "1 1 100 aa {}"), wire("SADD", root+"places:aa", one)),
		step(wire("HSET", line, two, "1 1 101 bb {\"a\r\nb\":1}")),
		wire("HSET", line, one, "1 2 100 aa {\"since\":3}"),
		wire("SET", markKey, "2"),
		step(wire("DEL", root+"session:bb"), wire("HDEL", line, two, "mark:"+two)),
		step(wire("DEL", line, root+"order:orders"), wire("HSET", line, "kind", "mutex", three, "1 1 102 aa ")),
		wire("SET", "other", "3"),
		wire("MULTI") + wire("DEL", line),
	}, "")
	transactions, err := transactions(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []witness.Change{
		{Position: 4, Came: true, Name: "orders", ID: one, Session: "aa", Owner: "p1", Token: 100 << 8},
		{Position: 5, Came: true, Name: "orders", ID: two, Session: "bb", Token: 101 << 8},
		{Position: 8, Name: "orders", ID: two, Session: "bb", Ended: true},
		{Position: 9, Name: "orders", ID: one, Session: "aa"},
		{Position: 9, Came: true, Name: "orders", ID: three, Session: "aa", Owner: "p1", Token: 102 << 8},
	}
	if got := changes(root, transactions); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	marks := markPositions(transactions)
	if len(marks) != 2 || marks[1] != 3 || marks[2] != 7 {
		t.Errorf("got the marks %v", marks)
	}
}

// What is not such a file is no empty one.
func TestOtherFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"REDIS0011\n", "*0\r\n", "*1\r\n+OK\r\n", "\n"} {
		if got, err := transactions(strings.NewReader(text)); err == nil {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
