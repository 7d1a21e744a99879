package fence_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"modernc.org/sqlite"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/sqlfence"
	"github.com/holdgate/holdgate/test/sqlserver"
)

// soon bounds what is awaited: far more than it takes on a busy machine.
const soon = time.Minute

// database is one of those that a test runs on.
type database struct {
	dialect sqlfence.Dialect
	db      *sql.DB
	levels  []sql.IsolationLevel
	// waiting counts the transactions that wait for another; empty where nobody can tell.
	waiting string
	// again reports whether a transaction that failed so is to be tried again.
	again func(error) bool

	tables atomic.Int64
}

func openPostgres(t *testing.T) *database {
	t.Helper()
	return &database{
		dialect: sqlfence.Postgres,
		db:      connect(t, "pgx", sqlserver.Postgres(t)),
		levels:  []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable},
		waiting: `SELECT count(*) FROM pg_locks WHERE NOT granted`,
		again: func(err error) bool {
			e, ok := errors.AsType[*pgconn.PgError](err)
			return ok && (e.Code == "40001" || e.Code == "40P01")
		},
	}
}

func openMariaDB(t *testing.T) *database {
	t.Helper()
	return &database{
		dialect: sqlfence.MySQL,
		db:      connect(t, "mysql", sqlserver.MariaDB(t)),
		levels:  []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable},
		waiting: `SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'`,
		again: func(err error) bool {
			const changed, tooLong, deadlock = 1020, 1205, 1213 // changed: since 11.6.2, of a snapshot
			e, ok := errors.AsType[*mysql.MySQLError](err)
			return ok && (e.Number == changed || e.Number == tooLong || e.Number == deadlock)
		},
	}
}

func openSQLite(t *testing.T) *database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	return &database{
		dialect: sqlfence.SQLite,
		db:      connect(t, "sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(0)"),
		levels:  []sql.IsolationLevel{sql.LevelDefault}, // it is serializable
		again: func(err error) bool {
			const busy = 5
			e, ok := errors.AsType[*sqlite.Error](err)
			return ok && e.Code()&0xff == busy
		},
	}
}

func connect(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// fences makes a table of tokens that nobody else uses.
func (d *database) fences(t *testing.T) *sqlfence.Fences {
	t.Helper()
	f, err := sqlfence.New(d.dialect, &sqlfence.Options{Table: d.table()})
	if err != nil {
		t.Fatal(err)
	}
	d.exec(t, f.Schema())
	d.exec(t, f.Schema()) // as every process does when it starts
	return f
}

func (d *database) table() string { return fmt.Sprintf("t%d", d.tables.Add(1)) }

func (d *database) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := d.db.ExecContext(t.Context(), d.sql(query), args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// sql is a query in this database's own writing: arguments are written "?".
func (d *database) sql(query string) string {
	if d.dialect != sqlfence.Postgres {
		return query
	}
	var s strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			s.WriteRune(r)
			continue
		}
		n++
		fmt.Fprintf(&s, "$%d", n)
	}
	return s.String()
}

// awaitWaiter returns when so many transactions wait for another, where that can be told.
func (d *database) awaitWaiter(t *testing.T) {
	t.Helper()
	if d.waiting == "" {
		return
	}
	for limit := time.Now().Add(soon); ; {
		var n int
		if err := d.db.QueryRowContext(t.Context(), d.waiting).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("no transaction waits for another")
		}
		// The server does not tell by itself. MariaDB keeps what it answered for as long as it
		// is asked again within a tenth of a second.
		time.Sleep(150 * time.Millisecond)
	}
}

func pass(token holdgate.Token) fence.Pass { return fence.Pass{Name: "orders/42", Token: token} }

// TestSQL runs each case on each database, one case at a time: what waits in it is known by
// being the only one.
func TestSQL(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) *database{
		"PostgreSQL": openPostgres, "MariaDB": openMariaDB, "SQLite": openSQLite,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			t.Run("tokens", d.testTokens)
			t.Run("names", d.testNames)
			t.Run("no transaction", d.testNoTransaction)
			for _, level := range d.levels {
				t.Run(level.String(), func(t *testing.T) { d.testLevel(t, level) })
			}
		})
	}
}
