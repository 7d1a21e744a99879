package etcd_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// The tests named TestFact pin what the driver takes for granted about etcd.

// commit makes a transaction, which must not fail.
func commit(t *testing.T, client *clientv3.Client, then, otherwise []clientv3.Op, conditions ...clientv3.Cmp) *clientv3.TxnResponse {
	t.Helper()
	answer, err := client.Txn(t.Context()).If(conditions...).Then(then...).Else(otherwise...).Commit()
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func put(t *testing.T, client *clientv3.Client, key, value string, options ...clientv3.OpOption) int64 {
	t.Helper()
	answer, err := client.Put(t.Context(), key, value, options...)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Header.Revision
}

func get(t *testing.T, client *clientv3.Client, key string, options ...clientv3.OpOption) *clientv3.GetResponse {
	t.Helper()
	answer, err := client.Get(t.Context(), key, options...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// emptyRange is what a try, and an Enter of a free lock, are decided by.
func emptyRange(prefix string) clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(prefix), "=", 0).WithPrefix()
}

func TestFactCreateRevisionZeroMeansAnEmptyRange(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	try := func() bool {
		return commit(t, client, []clientv3.Op{clientv3.OpPut("/a/2", "")}, nil, emptyRange("/a/")).Succeeded
	}
	put(t, client, "/a", "")
	put(t, client, "/ab/1", "")
	put(t, client, "/a/1", "")
	if try() {
		t.Error("a range with a key is taken for empty")
	}
	if _, err := client.Delete(t.Context(), "/a/1"); err != nil {
		t.Fatal(err)
	}
	if !try() {
		t.Error("a range that was emptied is not taken for empty")
	}
	if try() {
		t.Error("a range is empty twice")
	}
}

func TestFactCreateRevisionBelowMeansNobodyCameSince(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	nobodySince := func(revision int64) bool {
		c := clientv3.Compare(clientv3.CreateRevision("/a/"), "<", revision+1).WithPrefix()
		return commit(t, client, nil, nil, c).Succeeded
	}
	put(t, client, "/a/1", "")
	seen := put(t, client, "/a/2", "")
	put(t, client, "/a/1", "changed")
	if _, err := client.Delete(t.Context(), "/a/2"); err != nil {
		t.Fatal(err)
	}
	if !nobodySince(seen) {
		t.Error("a change, and one who left, count as one who came")
	}
	put(t, client, "/a/2", "")
	if nobodySince(seen) {
		t.Error("one who came at a key that was used before does not count")
	}
	if _, err := client.Delete(t.Context(), "/a/", clientv3.WithPrefix()); err != nil {
		t.Fatal(err)
	}
	if !nobodySince(seen) {
		t.Error("in an empty range somebody came")
	}
}

func TestFactValueComparisonIsFalseOnAnEmptyRange(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	bounds := []clientv3.Cmp{
		clientv3.Compare(clientv3.Value("/a/"), ">", "mutex/1/").WithPrefix(),
		clientv3.Compare(clientv3.Value("/a/"), "<", "mutex/10").WithPrefix(),
	}
	for _, step := range []struct {
		value string
		want  bool
	}{
		{"", false}, // nothing is there
		{"mutex/1/1 x", true},
		{"mutex/1/evicted x", true},
		{"mutex/10/1 x", false},
	} {
		if step.value != "" {
			put(t, client, "/a/"+step.value, step.value)
		}
		if got := commit(t, client, nil, nil, bounds...).Succeeded; got != step.want {
			t.Errorf("with %q in the range: got %v, want %v", step.value, got, step.want)
		}
	}
}

func TestFactNestedComparisonsSeeTheStateBefore(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	enter := func(key string) clientv3.Op {
		return clientv3.OpTxn([]clientv3.Cmp{emptyRange("/a/")}, []clientv3.Op{clientv3.OpPut(key, "")}, nil)
	}
	commit(t, client, []clientv3.Op{enter("/a/1"), enter("/a/2")}, nil)
	places := get(t, client, "/a/", clientv3.WithPrefix())
	if len(places.Kvs) != 2 {
		t.Fatalf("%d places stand, want both: neither saw the other", len(places.Kvs))
	}
	if a, b := places.Kvs[0].CreateRevision, places.Kvs[1].CreateRevision; a != b {
		t.Errorf("got the create revisions %d and %d, want one: they have no order", a, b)
	}
}

func TestFactOneTransactionTakes128Operations(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	puts := func(n int) []clientv3.Op {
		var ops []clientv3.Op
		for i := range n {
			ops = append(ops, clientv3.OpPut(fmt.Sprintf("/a/%d", i), ""))
		}
		return ops
	}
	inNested := func(n int) []clientv3.Op { return []clientv3.Op{clientv3.OpTxn(nil, puts(n), nil)} }
	// Reads, since the others would have to be of different keys.
	nested := func(n, each int) []clientv3.Op {
		return slices.Repeat([]clientv3.Op{clientv3.OpTxn(nil, slices.Repeat([]clientv3.Op{clientv3.OpGet("/a/0")}, each), nil)}, n)
	}
	for _, c := range []struct {
		name string
		ops  []clientv3.Op
		fits bool
	}{
		{"128", puts(128), true},
		{"129", puts(129), false},
		{"1 with 127 nested", inNested(127), true},
		{"1 with 128 nested", inNested(128), false},
		// Each nested one counts for itself, beside the number of all on its level.
		{"100 with 28 nested in each", nested(100, 28), true},
		{"100 with 29 nested in each", nested(100, 29), false},
	} {
		_, err := client.Txn(t.Context()).Then(c.ops...).Commit()
		if fits := err == nil; fits != c.fits || err != nil && !errors.Is(err, rpctypes.ErrTooManyOps) {
			t.Errorf("%s operations: got the error %v, want them to fit: %v", c.name, err, c.fits)
		}
	}
}

func TestFactOneBadOperationFailsTheWholeTransaction(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	good := clientv3.OpPut("/a/good", "")
	for name, bad := range map[string]struct {
		op   clientv3.Op
		want error
	}{
		"a lease that is gone": {clientv3.OpPut("/a/bad", "", clientv3.WithLease(4711)), rpctypes.ErrLeaseNotFound},
		"a value too large":    {clientv3.OpPut("/a/bad", strings.Repeat("x", 1<<20+1<<19)), rpctypes.ErrRequestTooLarge},
		"the same key twice":   {good, rpctypes.ErrDuplicateKey},
	} {
		_, err := client.Txn(t.Context()).Then(good, bad.op).Commit()
		if !errors.Is(err, bad.want) {
			t.Errorf("%s: got the error %v, want %q", name, err, bad.want)
		}
		if n := get(t, client, "/a/", clientv3.WithPrefix()).Count; n != 0 {
			t.Errorf("%s: %d keys were written all the same", name, n)
		}
	}
}

// An operation on a lease that is gone does no harm where it is not reached.
func TestFactOnlyTheBranchThatIsTakenIsChecked(t *testing.T) {
	t.Parallel()
	client := etcdserver.Start(t, 1).Client(t)
	bad := []clientv3.Op{clientv3.OpPut("/a/bad", "", clientv3.WithLease(4711))}
	if !commit(t, client, nil, bad).Succeeded {
		t.Error("a transaction without conditions did not succeed")
	}
}
