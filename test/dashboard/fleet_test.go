package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/server"
	"github.com/holdgate/holdgate/server/dashboard"
)

// fleet is a store with those who use it, and a server that shows it.
type fleet struct {
	t     *testing.T
	drv   driver.Driver
	ids   atomic.Int64
	addr  string // where it listens, also after it was started again
	home  string
	serve *http.Server
	api   *server.Server
}

// newFleet has one over a store in memory.
func newFleet(t *testing.T, o server.Options) *fleet {
	t.Helper()
	return fleetOver(t, memdriver.NewStore().Connect(nil), o)
}

func fleetOver(t *testing.T, drv driver.Driver, o server.Options) *fleet {
	t.Helper()
	f := &fleet{t: t, drv: drv, addr: "127.0.0.1:0"}
	f.start(o)
	t.Cleanup(f.stop)
	return f
}

// start starts the server.
func (f *fleet) start(o server.Options) {
	f.t.Helper()
	o.Root, o.History = dashboard.Handler(), true
	api, err := server.New(f.drv, &o)
	if err != nil {
		f.t.Fatal(err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(f.t.Context(), "tcp", f.addr)
	if err != nil {
		f.t.Fatal(err)
	}
	f.addr, f.home = l.Addr().String(), "http://"+l.Addr().String()
	f.api, f.serve = api, api.HTTPServer()
	go func() { _ = f.serve.Serve(l) }() // until stop
}

// stop stops the server, as if it had died.
func (f *fleet) stop() {
	_ = f.serve.Close()
	_ = f.api.Close()
}

// session opens a session that lives longer than the test.
func (f *fleet) session(owner string) driver.Session {
	f.t.Helper()
	s, err := f.drv.Open(f.t.Context(), driver.SessionOptions{TTL: 10 * time.Minute, Owner: owner})
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// note is what package holdgate keeps in the data of a place.
type note struct {
	Reason string    `json:"reason,omitempty"`
	Value  string    `json:"value,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Under  string    `json:"under,omitempty"`
}

// lock enters a line that one holds at a time.
func (f *fleet) lock(s driver.Session, line string, n note) driver.Place {
	f.t.Helper()
	return f.enter(s, driver.Claim{Line: line, Kind: driver.KindMutex, Capacity: 1, Units: 1}, n)
}

func (f *fleet) enter(s driver.Session, c driver.Claim, n note) driver.Place {
	f.t.Helper()
	text, err := json.Marshal(n)
	if err != nil {
		f.t.Fatal(err)
	}
	if c.ID, c.Data = fmt.Sprintf("%032x", f.ids.Add(1)), text; string(text) == "{}" {
		c.Data = nil
	}
	p, err := s.Enter(f.t.Context(), c)
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

func (f *fleet) leave(s driver.Session, p driver.Place) {
	f.t.Helper()
	if err := s.Leave(f.t.Context(), p.Line, p.ID); err != nil {
		f.t.Fatal(err)
	}
}

// circle has two wait for each other.
func (f *fleet) circle(one, other driver.Session, x, y string) {
	f.t.Helper()
	outer := f.lock(one, x, note{})
	inner := f.lock(other, y, note{})
	f.lock(one, y, note{Under: outer.ID})
	f.lock(other, x, note{Under: inner.ID})
}

// everything has something of each kind, so that each view has something to show.
func (f *fleet) everything() {
	f.t.Helper()
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	ann, bob := f.session("ann@web-1:17880"), f.session("bob@web-2:901")
	f.circle(ann, bob, "orders/1042", "stock/warsaw")
	for i := range 5 {
		f.lock(f.session(fmt.Sprintf("worker@web-%d:%d", 3+i, 4000+i)), "orders/1042", note{Reason: "ship"})
	}
	night := f.session("nightly@batch-2:3310")
	f.lock(f.session("cron@batch-1:77"), "reports/nightly", note{Reason: "nightly report", Since: ago(47 * time.Minute)})
	f.rw(night, "reports/cache", driver.MaxCapacity)
	f.lock(night, "reports/nightly", note{Reason: "rebuild"})
	for i := range 3 {
		f.rw(f.session(fmt.Sprintf("reader@web-%d:%d", i, 900+i)), "reports/cache", 1)
	}
	for i := range 7 {
		f.enter(f.session(fmt.Sprintf("resize@img-%d:%d", i, 200+i)), driver.Claim{Line: "images/resize", Kind: driver.KindSemaphore, Capacity: 5, Units: 1}, note{Reason: "thumbnails"})
	}
	for i := range 3 {
		f.enter(f.session(fmt.Sprintf("sched@ctl-%d:50", i)), driver.Claim{Line: "scheduler/leader", Kind: driver.KindElection, Capacity: 1, Units: 1},
			note{Value: fmt.Sprintf("10.0.0.%d:7000", 5+i), Since: ago(26 * time.Hour)})
	}
	for i := range 4 {
		value := fmt.Sprintf("{\"id\":\"api-%d\",\"join\":\"j%d\"}\n{\"addr\":\"10.0.0.%d:8080\",\"weight\":%d,\"meta\":{\"zone\":\"%c\"}}", i, i, 10+i, 1+i%2, 'a'+rune(i%3))
		f.enter(f.session(fmt.Sprintf("api@web-%d:80", i)), driver.Claim{Line: "services/api", Kind: driver.KindPresence, Capacity: 1, Units: 0},
			note{Value: value, Since: ago(time.Duration(i+1) * time.Hour)})
	}
}

func (f *fleet) rw(s driver.Session, line string, units int64) driver.Place {
	f.t.Helper()
	return f.enter(s, driver.Claim{Line: line, Kind: driver.KindRW, Capacity: driver.MaxCapacity, Units: units}, note{})
}

// views are all there are.
func views() []string {
	return []string{
		"#/lines", "#/waits", "#/sessions", "#/elections", "#/services", "#/store", "#/line?name=" + strings.ReplaceAll("orders/1042", "/", "%2F"),
	}
}
