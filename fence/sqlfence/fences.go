package sqlfence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// DefaultTable is where the tokens are kept unless Options.Table says otherwise.
const DefaultTable = "holdgate_fences"

// Options configure Fences. Zero values are the defaults.
type Options struct {
	// Table is the name of the table, as "fences" or "app.fences": letters, digits and
	// underscores. Default DefaultTable.
	Table string
}

// Fences are the tokens that a database remembers, one for each name. Its methods may be
// called by any goroutine.
type Fences struct {
	schema, raise string
	byID          bool
}

// New returns the fences of a table. It does not touch the database. Nil options are the
// defaults.
func New(d Dialect, o *Options) (*Fences, error) {
	g, err := d.grammar()
	if err != nil {
		return nil, err
	}
	table := DefaultTable
	if o != nil && o.Table != "" {
		table = o.Table
	}
	if !regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$`).MatchString(table) {
		return nil, fmt.Errorf("sqlfence: Options.Table is a name of letters, digits and underscores, with a schema or without, not %q", table)
	}
	return &Fences{schema: fmt.Sprintf(g.schema, table), raise: fmt.Sprintf(g.raise, table), byID: g.byID}, nil
}

// Schema returns the statement that makes the table, if it is not there.
func (f *Fences) Schema() string { return f.schema }

// Statement returns the one of Check, for those who do not use database/sql. Its arguments
// are the name and the token, as a signed 64-bit integer. What it tells goes to
// [fence.Pass.Against]: the row that it returns or, on MySQL, the last insert ID. There
// a last insert ID of 0 is no answer.
func (f *Fences) Statement() string { return f.raise }

// Tx is what a check is done in: a *sql.Tx, or a *sql.Conn on which the caller has begun a
// transaction. A *sql.DB is refused: there the check would be over before the write begins.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Begin begins a transaction and checks the pass in it, as its first statement. After an
// error there is no transaction. Nil options are those of sql.DB.BeginTx.
func (f *Fences) Begin(ctx context.Context, db *sql.DB, o *sql.TxOptions, p fence.Pass) (*sql.Tx, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("begin a fenced transaction of %q: %w", p.Name, err)
	}
	if err = f.Check(ctx, tx, p); err != nil {
		_ = tx.Rollback() // it has changed nothing
		return nil, err
	}
	return tx, nil
}

// Check remembers the pass, in the transaction, or answers a *fence.StaleError: then the
// caller rolls back. It waits for other transactions of the same name to end. A token
// that was accepted is accepted again.
//
// Any other error says nothing about the pass. Errors of the driver are wrapped: a
// deadlock or a conflict can be recognised, and tried again.
func (f *Fences) Check(ctx context.Context, tx Tx, p fence.Pass) error {
	if err := p.Check(); err != nil {
		return err
	}
	if _, direct := tx.(*sql.DB); direct {
		return errors.New("sqlfence: a check needs the transaction of the write, not a *sql.DB")
	}
	newest, err := f.raiseTo(ctx, tx, p)
	if err != nil {
		return fmt.Errorf("check the fencing token of %q: %w", p.Name, err)
	}
	return p.Against(newest)
}

// errNoAnswer: the server did not say what is stored, and nobody is let in on that.
var errNoAnswer = errors.New("sqlfence: the database has not answered with the token (does a proxy drop the last insert ID?)")

// raiseTo carries the statement out, and returns the largest token.
func (f *Fences) raiseTo(ctx context.Context, tx Tx, p fence.Pass) (holdgate.Token, error) {
	token := int64(p.Token) //nolint:gosec // checked: at most 2^63-1
	newest, err := f.ask(ctx, tx, p.Name, token)
	if err != nil {
		return 0, err
	}
	if newest < token {
		return 0, errNoAnswer
	}
	return holdgate.Token(newest), nil //nolint:gosec // not negative: no smaller than the token
}

func (f *Fences) ask(ctx context.Context, tx Tx, name string, token int64) (newest int64, err error) {
	if !f.byID {
		err = tx.QueryRowContext(ctx, f.raise, name, token).Scan(&newest)
		return newest, err
	}
	// As bytes, so that no character set is applied.
	r, err := tx.ExecContext(ctx, f.raise, []byte(name), token)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}
