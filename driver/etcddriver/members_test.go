package etcddriver

import (
	"slices"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// offline is a client of endpoints that nobody is asked at.
func offline(t *testing.T, endpoints ...string) (*clientv3.Client, *members) {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints})
	if err != nil {
		t.Fatal(err)
	}
	ms, err := newMembers(client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ms.close()
		_ = client.Close()
	})
	return client, ms
}

func TestTheMemberLeftLongestAgoIsNext(t *testing.T) {
	t.Parallel()
	_, ms := offline(t, "a:1", "b:1", "c:1")
	var order []string
	for i := range 6 {
		order = append(order, ms.current().endpoint)
		ms.leave(ms.current(), time.Duration(i+1)*time.Second)
	}
	if !slices.Equal(order[:3], order[3:]) {
		t.Errorf("asked in the order %q, want each in its turn", order)
	}
	if got := slices.Sorted(slices.Values(order[:3])); !slices.Equal(got, []string{"a:1", "b:1", "c:1"}) {
		t.Errorf("asked %q first, want each once", got)
	}
}

func TestManyWhoLeaveAMemberMoveOnce(t *testing.T) {
	t.Parallel()
	_, ms := offline(t, "a:1", "b:1", "c:1")
	m := ms.current()
	ms.leave(m, time.Second)
	next := ms.current()
	ms.leave(m, 2*time.Second)
	ms.giveUp(m, 3*time.Second)
	if ms.current() != next {
		t.Error("a member that had been left already was left again")
	}
}

func TestASilentMemberGetsANewConnection(t *testing.T) {
	t.Parallel()
	_, ms := offline(t, "a:1")
	m := ms.current()
	ms.giveUp(m, time.Second)
	if now := ms.current(); now == m || now.endpoint != "a:1" || !m.gone.Load() {
		t.Error("the only member was given up, and no connection took the place of its own")
	}
}

func TestEndpointsMayBeSetAnew(t *testing.T) {
	t.Parallel()
	client, ms := offline(t, "a:1", "b:1")
	client.SetEndpoints("b:1", "c:1")
	seen := make(map[string]bool)
	for i := range 4 {
		ms.leave(ms.current(), time.Duration(i+1)*time.Second)
		seen[ms.current().endpoint] = true
	}
	if !seen["b:1"] || !seen["c:1"] || seen["a:1"] {
		t.Errorf("asked %v, want b:1 and c:1", seen)
	}
	client.SetEndpoints()
	if ms.leave(ms.current(), time.Minute); ms.current() == nil {
		t.Error("without endpoints nobody is asked")
	}
}

// What a member owes is an answer to the first request after its last word.
func TestSilence(t *testing.T) {
	t.Parallel()
	m := new(member)
	if m.silent(time.Hour) {
		t.Error("a member that was not asked is silent")
	}
	m.asked(time.Second)
	m.asked(3 * time.Second)
	if m.silent(time.Second+silentFor-1) || !m.silent(time.Second+silentFor) {
		t.Errorf("silence counts from %v, want from the first request", time.Duration(m.owes.Load()))
	}
	m.spoke()
	if m.asked(5 * time.Second); m.silent(6*time.Second) || m.silentSince(4*time.Second) || !m.silentSince(5*time.Second) {
		t.Error("silence does not begin anew after a word")
	}
}
