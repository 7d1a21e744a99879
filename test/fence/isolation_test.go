package fence_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/sqlfence"
)

// arena is a resource, and holders who write to it at one level of isolation.
type arena struct {
	*database
	t      *testing.T
	level  sql.IsolationLevel
	fences *sqlfence.Fences
	data   string // the table that is guarded
}

func (d *database) testLevel(t *testing.T, level sql.IsolationLevel) {
	for name, test := range map[string]func(*arena){
		"the older one waits":                   (*arena).olderWaits,
		"the newer one waits":                   (*arena).newerWaits,
		"the one before is rolled back":         (*arena).rolledBack,
		"paused before its check":               (*arena).paused,
		"many at once":                          (*arena).traffic,
		"a check after a read lets it read old": (*arena).checkTooLate,
	} {
		t.Run(name, func(t *testing.T) {
			a := &arena{database: d, t: t, level: level, fences: d.fences(t), data: d.table()}
			d.exec(t, "CREATE TABLE "+a.data+" (id INT PRIMARY KEY, token BIGINT NOT NULL)")
			test(a)
		})
	}
}

func (a *arena) options() *sql.TxOptions { return &sql.TxOptions{Isolation: a.level} }

// begin begins a transaction that is to be let in, again when the database asks for that.
func (a *arena) begin(token holdgate.Token) *sql.Tx {
	a.t.Helper()
	for {
		tx, err := a.fences.Begin(a.t.Context(), a.db, a.options(), pass(token))
		if err == nil {
			return tx
		}
		if !a.again(err) {
			a.t.Fatalf("token %v: %v", token, err)
		}
	}
}

// refused returns when a transaction was refused for its token.
func (a *arena) refused(token, newest holdgate.Token) {
	a.t.Helper()
	for {
		tx, err := a.fences.Begin(a.t.Context(), a.db, a.options(), pass(token))
		if err == nil {
			_ = tx.Rollback()
		}
		if err == nil || !a.again(err) {
			wantStale(a.t, err, token, newest)
			return
		}
	}
}

// write adds a row with the token.
func (a *arena) write(tx *sql.Tx, id int, token holdgate.Token) {
	a.t.Helper()
	if _, err := tx.ExecContext(a.t.Context(), a.sql("INSERT INTO "+a.data+" (id, token) VALUES (?, ?)"), id, int64(token)); err != nil {
		a.t.Fatalf("write with token %v: %v", token, err)
	}
}

func (a *arena) commit(tx *sql.Tx) {
	a.t.Helper()
	if err := tx.Commit(); err != nil {
		a.t.Fatal(err)
	}
}

// reader is a database or a transaction.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// rows is what was written, by everybody.
func (a *arena) rows(ctx context.Context, from reader) (tokens []int64) {
	a.t.Helper()
	rows, err := from.QueryContext(ctx, "SELECT token FROM "+a.data+" ORDER BY id")
	if err != nil {
		a.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var token int64
		if err := rows.Scan(&token); err != nil {
			a.t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	if err := rows.Err(); err != nil {
		a.t.Fatal(err)
	}
	return tokens
}

// started is a Begin in another goroutine.
type started struct {
	tx  *sql.Tx
	err error
}

// behind starts a Begin that finds another transaction in its way.
func (a *arena) behind(token holdgate.Token) <-chan started {
	done := make(chan started, 1)
	go func() { // ends when the other transaction has, which the test sees to
		tx, err := a.fences.Begin(a.t.Context(), a.db, a.options(), pass(token))
		done <- started{tx, err}
	}()
	a.awaitWaiter(a.t)
	return done
}

// The newer holder's transaction is open when the older one comes: the older one waits, and
// is refused.
func (a *arena) olderWaits() {
	newer := a.begin(2)
	a.write(newer, 1, 2)
	older := a.behind(1)
	a.commit(newer)
	switch s := <-older; {
	case s.err == nil:
		a.t.Fatal("the older one was let in after the newer one")
	case a.again(s.err):
		a.refused(1, 2)
	default:
		wantStale(a.t, s.err, 1, 2)
	}
}

// The older holder came first: the newer one waits for it, then reads what it wrote.
func (a *arena) newerWaits() {
	older := a.begin(1)
	a.write(older, 1, 1)
	waiting := a.behind(2)
	a.commit(older)
	s := <-waiting
	if s.err != nil {
		if !a.again(s.err) {
			a.t.Fatal(s.err)
		}
		s.tx = a.begin(2)
	}
	if got := a.rows(a.t.Context(), s.tx); len(got) != 1 || got[0] != 1 {
		a.t.Errorf("the newer one reads %v, want what the older one wrote", got)
	}
	a.commit(s.tx)
	a.refused(1, 2)
}

// What is rolled back was never shown.
func (a *arena) rolledBack() {
	first := a.begin(7)
	waiting := a.behind(5)
	if err := first.Rollback(); err != nil {
		a.t.Fatal(err)
	}
	s := <-waiting
	if s.err != nil {
		if !a.again(s.err) {
			a.t.Fatal(s.err)
		}
		s.tx = a.begin(5)
	}
	a.commit(s.tx)
	a.refused(4, 5)
}

// A holder begins a transaction and looks at the data, is paused, and goes on when others
// have had the lock: its check, as late as it is, does not let it write.
func (a *arena) paused() {
	ctx := a.t.Context()
	older, err := a.db.BeginTx(ctx, a.options())
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = older.Rollback() }()
	if got := a.rows(ctx, older); len(got) != 0 {
		a.t.Fatalf("rows of others: %v", got)
	}
	if a.dialect == sqlfence.MySQL && a.level == sql.LevelSerializable {
		// There a read locks, so that the newer one would wait for the end of the pause.
		_ = older.Rollback()
		if older, err = a.db.BeginTx(ctx, a.options()); err != nil {
			a.t.Fatal(err)
		}
	}
	newer := a.begin(2)
	a.write(newer, 1, 2)
	a.commit(newer)
	switch err := a.fences.Check(ctx, older, pass(1)); {
	case err == nil:
		a.t.Error("the check let the older one in")
	case !a.again(err):
		wantStale(a.t, err, 1, 2)
	}
}

// checkTooLate is why a check comes first: what was read before it is of another time. It
// is a fact about the databases, and the reason for Begin.
func (a *arena) checkTooLate() {
	ctx := a.t.Context()
	if a.dialect == sqlfence.MySQL && a.level == sql.LevelSerializable {
		return // there a read locks: nothing can come between
	}
	newer, err := a.db.BeginTx(ctx, a.options())
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = newer.Rollback() }()
	if got := a.rows(ctx, newer); len(got) != 0 {
		a.t.Fatalf("rows of others: %v", got)
	}
	older := a.begin(1) // not too old: the newer one has not shown its token yet
	a.write(older, 1, 1)
	a.commit(older)
	err = a.fences.Check(ctx, newer, pass(2))
	snapshots := a.dialect == sqlfence.SQLite || a.dialect == sqlfence.Postgres && a.level != sql.LevelReadCommitted
	switch {
	case snapshots && err == nil:
		// Nothing of the row was there in its snapshot, but for what the check itself says.
		a.t.Error("a snapshot from before the older one's commit was let in")
	case err != nil && !a.again(err):
		a.t.Errorf("got the error %v", err)
	}
	if errors.Is(err, fence.ErrStale) {
		a.t.Errorf("the newer token is refused: %v", err)
	}
}
