package sqlfence

import "fmt"

// Dialect says whose SQL is spoken.
type Dialect string

// The databases that are supported.
const (
	Postgres Dialect = "postgres"
	MySQL    Dialect = "mysql" // and MariaDB
	SQLite   Dialect = "sqlite"
)

// grammar is how a dialect says it. %[1]s is the table.
//
// raise keeps the larger of the token that is stored and the one that is shown. It locks
// the row for as long as the transaction lasts, also when it changes nothing, and tells
// the larger of the two.
type grammar struct {
	schema, raise string
	// byID: the answer is the last insert ID, since there is no RETURNING.
	byID bool
}

func (d Dialect) grammar() (grammar, error) {
	switch d {
	case Postgres:
		return postgres(), nil
	case MySQL:
		return mySQL(), nil
	case SQLite:
		return sqLite(), nil
	}
	return grammar{}, fmt.Errorf("sqlfence: a dialect is %q, %q or %q, not %q", Postgres, MySQL, SQLite, d)
}

// postgres compares names byte by byte: C knows no two texts that look the same to it.
func postgres() grammar {
	return grammar{
		schema: `CREATE TABLE IF NOT EXISTS %[1]s (
	name text COLLATE "C" PRIMARY KEY,
	token bigint NOT NULL CHECK (token > 0)
)`,
		raise: `INSERT INTO %[1]s AS f (name, token) VALUES ($1, $2) ` +
			`ON CONFLICT (name) DO UPDATE SET token = greatest(f.token, excluded.token) RETURNING token`,
	}
}

// mySQL keeps names as bytes: the usual collations take "a", "A" and "a " for the same.
//
// LAST_INSERT_ID(x) is x, and has the server send x along with its answer, which the client
// shows as the last insert ID. It stands in both places: an answer without it is none,
// and lets nobody in.
func mySQL() grammar {
	return grammar{
		schema: `CREATE TABLE IF NOT EXISTS %[1]s (
	name VARBINARY(512) NOT NULL PRIMARY KEY,
	token BIGINT NOT NULL
) ENGINE=InnoDB`,
		raise: `INSERT INTO %[1]s (name, token) VALUES (?, LAST_INSERT_ID(?)) ` +
			`ON DUPLICATE KEY UPDATE token = LAST_INSERT_ID(GREATEST(token, VALUES(token)))`,
		byID: true,
	}
}

func sqLite() grammar {
	return grammar{
		schema: `CREATE TABLE IF NOT EXISTS %[1]s (
	name TEXT NOT NULL PRIMARY KEY,
	token INTEGER NOT NULL CHECK (token > 0)
) WITHOUT ROWID`,
		raise: `INSERT INTO %[1]s (name, token) VALUES (?, ?) ` +
			`ON CONFLICT (name) DO UPDATE SET token = max(token, excluded.token) RETURNING token`,
	}
}
