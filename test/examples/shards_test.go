package examples_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/examples/shards/consumer"
	"github.com/holdgate/holdgate/test/sqlserver"
)

// stream is a stream of events with somebody who looks on.
type stream struct {
	*consumer.Stream
	t      *testing.T
	url    string
	shards int
	conn   *pgx.Conn // listens to who consumes
}

func openStream(t *testing.T, shards int) *stream {
	t.Helper()
	url := sqlserver.Postgres(t)
	events, err := consumer.Open(t.Context(), open(t, url))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	if _, err = conn.Exec(t.Context(), `LISTEN consumed`); err != nil {
		t.Fatal(err)
	}
	return &stream{events, t, url, shards, conn}
}

// is asks the database whether something is so.
func (s *stream) is(query string) (yes bool) {
	s.t.Helper()
	if err := s.conn.QueryRow(s.t.Context(), `SELECT `+query).Scan(&yes); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return yes
}

// until waits until something is so.
func (s *stream) until(query string) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), soon)
	defer stop()
	for !s.is(query) {
		if _, err := s.conn.WaitForNotification(ctx); err != nil {
			s.t.Fatalf("%s: %v", query, err)
		}
	}
}

// round adds events, and waits until all are consumed.
func (s *stream) round(events int) {
	s.t.Helper()
	s.add(events)
	s.until(all)
}

func (s *stream) add(events int) {
	s.t.Helper()
	if err := s.Add(s.t.Context(), s.shards, events); err != nil {
		s.t.Fatal(err)
	}
}

const all = `(SELECT count(*) FROM consumed) >= (SELECT count(*) FROM events)`

// want checks that each event was consumed once, and those of a shard in order.
func (s *stream) want() {
	s.t.Helper()
	for _, query := range []string{
		`(SELECT count(*) FROM consumed) = (SELECT count(*) FROM events)`,
		`NOT EXISTS (SELECT FROM (SELECT seq, row_number() OVER (PARTITION BY shard ORDER BY id) AS n FROM consumed) c WHERE seq <> n)`,
	} {
		if !s.is(query) {
			s.t.Errorf("it is not so that %s", query)
		}
	}
}

// rounds adds events until this member has consumed some: it takes its share when it has come.
func (s *stream) rounds(member string) {
	s.t.Helper()
	for begun := time.Now(); !s.is(fmt.Sprintf(`EXISTS (SELECT FROM consumed WHERE member = '%s')`, member)); s.round(1) {
		if time.Since(begun) > soon {
			s.t.Fatalf("%s consumes nothing", member)
		}
	}
}

// TestShards is the program: three members, one is killed, another comes.
func TestShards(t *testing.T) {
	t.Parallel()
	s := openStream(t, 12)
	file, dir := build(t, "shards"), filepath.Join(t.TempDir(), "locks")
	member := func(name string) *process {
		return start(t, file, "-db", s.url, "-dir", dir, "-name", name, "-shards", "12", "-poll", "10ms")
	}
	ann, others := member("ann"), []*process{member("bob"), member("eve")}
	for _, name := range []string{"ann", "bob", "eve"} {
		s.rounds(name)
	}

	// One is killed in the middle: the others take its shards.
	const before = `(SELECT max(id) FROM consumed WHERE member = 'ann')`
	var seen int64
	if err := s.conn.QueryRow(t.Context(), `SELECT `+before).Scan(&seen); err != nil {
		t.Fatal(err)
	}
	s.add(20)
	s.until(fmt.Sprintf(`%s > %d`, before, seen))
	ann.kill()
	s.until(all)
	if err := s.conn.QueryRow(t.Context(), `SELECT `+before).Scan(&seen); err != nil {
		t.Fatal(err)
	}
	s.round(1)
	if !s.is(fmt.Sprintf(`%s = %d`, before, seen)) {
		t.Error("the dead consumes on")
	}

	// Another one comes, and those who live hand its share over.
	others = append(others, member("dan"))
	s.rounds("dan")
	s.round(2)

	for _, p := range others {
		if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
	}
	for _, p := range others {
		p.wantEnd("msg=share")
	}
	s.want()
}

// TestAPausedMemberConsumesNothing is why the database looks at the token: a member is paused in
// the middle of an event, its shard goes to another, and then it goes on as if nothing had
// happened.
func TestAPausedMemberConsumesNothing(t *testing.T) {
	t.Parallel()
	s, store := openStream(t, 1), memdriver.NewStore()
	s.add(3)
	first, second := "ann", "bob"
	if len(consumer.Share([]string{first, second}, second, 1)) == 0 {
		first, second = second, first // the one that comes second is to get the shard
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	run := func(name string, said *bytes.Buffer, handle func(context.Context, consumer.Event) error) <-chan error {
		client, err := holdgate.New(store.Connect(nil), &holdgate.Options{Owner: name, TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		c := &consumer.Consumer{
			Name: name, Group: "shards", Client: client, Stream: s.Stream, Shards: 1, Handle: handle,
			Poll: 10 * time.Millisecond, Log: slog.New(slog.NewTextHandler(said, nil)),
		}
		ended := make(chan error, 1)
		go func() { // awaited below
			err := c.Run(ctx)
			_ = client.Close(context.WithoutCancel(ctx))
			ended <- err
		}()
		return ended
	}
	handling, goOn := make(chan struct{}, 1), make(chan struct{})
	var said bytes.Buffer
	paused := run(first, &said, func(context.Context, consumer.Event) error { // it does not look at its context
		handling <- struct{}{}
		<-goOn
		return nil
	})
	receive(t, handling, "the first member's event")
	session := store.Sessions()[0]
	other := run(second, new(bytes.Buffer), func(context.Context, consumer.Event) error { return nil })
	awaitLine(t, store, "shards/shard/0", 2) // it is to have it, and waits for the lock
	store.ExpireSession(session)             // nobody has heard from the first one for a TTL
	s.until(all)
	close(goOn)
	stop()
	for _, ended := range []<-chan error{paused, other} {
		if err := receive(t, ended, "a member's end"); err != nil {
			t.Error(err)
		}
	}
	s.want()
	if !s.is(fmt.Sprintf(`NOT EXISTS (SELECT FROM consumed WHERE member = '%s')`, first)) {
		t.Errorf("%s has consumed something", first)
	}
	if !bytes.Contains(said.Bytes(), []byte("stale fencing token")) {
		t.Errorf("%s was not refused by the database:\n%s", first, &said)
	}
}

// awaitLine waits until so many places stand in a line.
func awaitLine(t *testing.T, store *memdriver.Store, name string, places int) {
	t.Helper()
	client, err := holdgate.New(store.Connect(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), soon)
	defer stop()
	defer client.Close(ctx)
	for s, err := range client.Watch(ctx, holdgate.Query{Name: name}) {
		if err != nil {
			t.Fatalf("%d in line for %s: %v", places, name, err)
		}
		if len(s.Lines) > 0 && len(s.Lines[0].Places) == places {
			return
		}
	}
}

// TestShare checks that every shard is somebody's, and that only those move that have to.
func TestShare(t *testing.T) {
	t.Parallel()
	const shards = 1000
	three := []string{"ann", "bob", "eve"}
	before := owners(three, shards)
	after := owners([]string{"eve", "bob"}, shards)
	if len(before) != shards || len(after) != shards {
		t.Fatalf("%d and %d shards have an owner, want %d", len(before), len(after), shards)
	}
	count := map[string]int{}
	for shard, owner := range before {
		count[owner]++
		if owner != "ann" && after[shard] != owner {
			t.Errorf("shard %d moves from %s to %s, who were there before", shard, owner, after[shard])
		}
	}
	for _, name := range three {
		if count[name] < shards/4 {
			t.Errorf("%s has %d of %d shards", name, count[name], shards)
		}
	}
	if mine := consumer.Share(three, "dan", shards); len(mine) > 0 {
		t.Errorf("one who is no member has the shards %v", mine)
	}
}

// owners are the members that shards go to.
func owners(members []string, shards int) map[int]string {
	owner := make(map[int]string)
	for _, name := range slices.Sorted(slices.Values(members)) {
		for _, shard := range consumer.Share(members, name, shards) {
			owner[shard] = name
		}
	}
	return owner
}
