package etcdembed

import (
	"path/filepath"
	"testing"

	"go.etcd.io/etcd/server/v3/embed"
)

// What etcd made of its configuration. That history is cut would take minutes to see.
func TestWhatEtcdRunsWith(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "data"), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := s.etcd.Server.Cfg
	if c.UnsafeNoFsync {
		t.Error("writes are answered before they are on disk")
	}
	if c.AutoCompactionMode != embed.CompactorModePeriodic || c.AutoCompactionRetention != History {
		t.Errorf("history is cut by %s at %v, want periodic at %v", c.AutoCompactionMode, c.AutoCompactionRetention, History)
	}
	if c.QuotaBackendBytes != 4<<30 {
		t.Errorf("quota %d, want 4 GiB", c.QuotaBackendBytes)
	}
	if c.EnableGRPCGateway {
		t.Error("the gateway is on")
	}
}
