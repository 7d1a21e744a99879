// Package sqlfence checks fencing tokens inside the caller's SQL transaction, so that a
// holder that lost its lock cannot commit.
//
//	fences, err := sqlfence.New(sqlfence.Postgres, nil)
//	_, err = db.ExecContext(ctx, fences.Schema()) // once: a table of names and tokens
//
//	pass, err := fence.Of(hold)
//	tx, err := fences.Begin(ctx, db, nil, pass) // *fence.StaleError for an older holder
//	_, err = tx.ExecContext(ctx, `UPDATE orders SET ...`)
//	err = tx.Commit()
//
// The check is one statement. It writes the largest token of the name, locks its row
// until the transaction ends, and returns what the row says now. It needs database/sql
// and no driver in particular.
//
// # What it guarantees
//
// Transactions of one name come one after the other, in some order in which tokens never
// go down: one whose token is older than that of a transaction which committed before it
// does not get past its check. With the check as its first statement, a transaction reads
// all that those before it wrote.
//
// That holds at READ COMMITTED and above on PostgreSQL (15 was tested), at READ COMMITTED
// and above on MariaDB (10.11 was tested) and MySQL, which has the same statement, and on
// SQLite from 3.35. At REPEATABLE READ and SERIALIZABLE PostgreSQL ends a transaction
// that had to wait for another, as it does with any row that two write (SQLSTATE
// 40001); SQLite and MariaDB may answer that the database is busy, or in a deadlock. Those
// are to be tried again, with the pass of that moment.
//
// # What it does not
//
//   - A check after other statements still refuses an older holder. But what was read
//     before it may be older than what the holder before wrote: begin with it.
//   - A holder that was paused inside an open transaction keeps its row locked, and the next
//     one waits for the database to end it. Have it do so: on PostgreSQL by
//     idle_in_transaction_session_timeout, on MariaDB by idle_transaction_timeout, on
//     MySQL by wait_timeout.
//   - Rows are never removed: one for each name. A row may be deleted when no holder of
//     that name, paused or not, can be left.
package sqlfence
