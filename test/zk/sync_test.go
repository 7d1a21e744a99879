package zk_test

import (
	"testing"

	"github.com/holdgate/holdgate/test/zkserver"
)

// Why nothing is concluded from a sync and what is read after it: a leader that no other
// server hears answers it by itself, while it cannot get anything agreed upon.
func TestSyncProvesNothing(t *testing.T) {
	t.Parallel()
	n := zkserver.NewNetwork(t)
	// It believes for so many ticks that it leads.
	e := zkserver.Start(t, 3, zkserver.Config{Peer: n.Peer, Lines: []string{"syncLimit=60"}})
	leader := e.Leader(t)
	alone := &zkserver.Ensemble{Servers: e.Servers[leader : leader+1]}
	reader, writer := client(t, alone), client(t, alone)
	path := parent(t, writer)
	if _, err := reader.Sync(path); err != nil {
		t.Fatal(err)
	}
	heal := n.Isolate(leader)
	written := make(chan error, 1)
	go func() { _, err := writer.Set(path, nil, -1); written <- err }() // ends with its connection
	if _, err := reader.Sync(path); err != nil {
		t.Errorf("the leader that is alone says %v to a sync: then it would do for a write", err)
	}
	select {
	case err := <-written:
		if err == nil {
			t.Error("a leader that is alone got a write agreed upon")
		}
	default: // nobody agrees
	}
	heal()
}
