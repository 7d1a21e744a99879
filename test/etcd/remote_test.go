package etcd_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver"
	"github.com/holdgate/holdgate/server"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// TestConformanceThroughServers is the suite through HTTP: each handle has a server of its
// own, over one cluster. What goes wrong does so between the server and etcd; package
// server itself has the way before.
func TestConformanceThroughServers(t *testing.T) {
	t.Parallel()
	s := newSuite(t, etcdserver.Start(t, 1), driver.LayoutQueue)
	s.run(t, func(t testing.TB) func(testing.TB) driver.Driver {
		connect := s.open(t)
		return func(t testing.TB) driver.Driver { return s.throughServer(t, connect(t)) }
	})
}

// throughServer returns a handle on the store of another, through a server over that.
func (s *suite) throughServer(t testing.TB, drv driver.Driver) driver.Driver {
	t.Helper()
	_, url := serve(t, drv)
	d, err := remotedriver.New(t.Context(), []string{url}, &remotedriver.Options{Transport: transport(t)})
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handles[d] = s.handles[drv]
	return d
}

// serve serves a store on the loopback.
func serve(t testing.TB, drv driver.Driver) (*httptest.Server, string) {
	t.Helper()
	over, err := server.New(drv, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(over)
	h.Config = over.HTTPServer()
	h.Start()
	t.Cleanup(func() {
		_ = over.Close()
		h.Close()
		_ = drv.Close()
	})
	return h, h.URL
}

func transport(t testing.TB) *http.Transport {
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}
