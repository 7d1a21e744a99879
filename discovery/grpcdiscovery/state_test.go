package grpcdiscovery

import (
	"testing"

	"github.com/holdgate/holdgate/discovery"
)

// What a policy is told: each address once, with its instance.
func TestState(t *testing.T) {
	t.Parallel()
	s := state(discovery.Snapshot{Instances: []discovery.Instance{
		{ID: "1", Addr: "b:1", Weight: 7, Token: 10}, {ID: "2", Addr: "a:1", Weight: 1, Token: 11}, {ID: "3", Addr: "b:1", Weight: 9, Token: 12},
	}})
	if len(s.Endpoints) != 2 || len(s.Addresses) != 2 || s.Addresses[0].Addr != "a:1" {
		t.Fatalf("got %+v", s)
	}
	in, ok := InstanceOf(s.Endpoints[1])
	if !ok || in.ID != "3" || in.Weight != 9 || s.Endpoints[1].Addresses[0].Addr != "b:1" {
		t.Errorf("got %+v, %v", in, ok)
	}
}
