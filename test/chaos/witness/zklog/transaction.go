package zklog

// transaction is one entry of a log, as far as nodes come and go by it.
type transaction struct {
	zxid    int64
	session int64
	ops     []operation
}

// operation is what happens to one node, or to all of a session.
type operation struct {
	kind kind
	path string
	data []byte
}

type kind int

const (
	creates kind = iota
	deletes
	closes // the transaction's session
)

// The types of transactions (org.apache.zookeeper.ZooDefs.OpCode).
const (
	opCreate          = 1
	opDelete          = 2
	opMulti           = 14
	opCreate2         = 15
	opCreateContainer = 19
	opDeleteContainer = 20
	opCreateTTL       = 21
	opCloseSession    = -11
)

// parse reads a transaction: its header, and what is done.
func parse(entry []byte) (transaction, error) {
	d := &decoder{rest: entry}
	t := transaction{session: d.long()}
	d.int() // number of the request
	t.zxid = d.long()
	d.long() // the leader's time
	what := d.int()
	t.add(what, d)
	return t, d.err
}

// add reads what is done by a type of transaction. Of those that are not here no node comes
// or goes.
func (t *transaction) add(what int32, d *decoder) {
	switch what {
	case opCreate, opCreate2, opCreateContainer, opCreateTTL:
		t.ops = append(t.ops, operation{kind: creates, path: d.text(), data: d.buffer()})
	case opDelete, opDeleteContainer:
		t.ops = append(t.ops, operation{kind: deletes, path: d.text()})
	case opCloseSession:
		t.ops = append(t.ops, operation{kind: closes})
	case opMulti:
		for range d.int() {
			what := d.int()
			inner := &decoder{rest: d.buffer()}
			if t.add(what, inner); d.err == nil {
				d.err = inner.err
			}
		}
	}
}
