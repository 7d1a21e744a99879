package command_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// status is what holdgate status --json prints, as far as these tests look.
type status struct {
	Reachable bool    `json:"reachable"`
	Safety    string  `json:"safety"`
	Error     string  `json:"error"`
	Answered  float64 `json:"answered_in_seconds"`
	Features  struct {
		ExpirySlack float64 `json:"expiry_slack_seconds"`
	} `json:"features"`
	Endpoints []endpoint `json:"endpoints"`
}

type endpoint struct {
	Endpoint string   `json:"endpoint"`
	Healthy  bool     `json:"healthy"`
	Error    string   `json:"error"`
	Role     string   `json:"role"`
	Version  string   `json:"version"`
	Faults   []string `json:"faults"`
	Answered float64  `json:"answered_in_seconds"`
	Alarms   []string `json:"alarms"`
	Warnings []string `json:"warnings"`
	Size     int64    `json:"database_bytes"`
	Quota    int64    `json:"quota_bytes"`

	Untold      string `json:"untold"`
	Connections *int   `json:"connections"`
}

// status asks for the status of the store.
func (p *place) status(code int) status {
	p.t.Helper()
	stdout, _ := p.run(code, "status", "--json")
	var s status
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		p.t.Fatalf("%v: %s", err, stdout)
	}
	return s
}

// of is the endpoint of a member.
func (s status) of(t *testing.T, m *etcdserver.Member) endpoint {
	t.Helper()
	for _, e := range s.Endpoints {
		if e.Endpoint == m.Endpoint() {
			return e
		}
	}
	t.Fatalf("%s is not in %+v", m.Endpoint(), s.Endpoints)
	return endpoint{}
}

// Each member is shown as it is: well, dead, hanging, and without the others.
func TestStatusOfMembers(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 3)
	p := at(t, url(c))
	s := p.status(0)
	if !s.Reachable || s.Safety != "linearizable" || s.Features.ExpirySlack != 2 || len(s.Endpoints) != 3 {
		t.Errorf("got %+v", s)
	}
	leader := c.Leader(t)
	for _, m := range c.Members {
		want := "follower"
		if m == leader {
			want = "leader"
		}
		e := s.of(t, m)
		if !e.Healthy || e.Error != "" || e.Role != want || e.Answered <= 0 || e.Size == 0 || e.Quota == 0 || len(e.Alarms)+len(e.Faults) > 0 {
			t.Errorf("got %+v, want a healthy %s", e, want)
		}
		if !strings.HasPrefix(e.Version, "3.7.") {
			t.Errorf("version %q", e.Version)
		}
	}

	dead, hangs := c.Members[0], c.Members[1]
	dead.Kill()
	s = p.status(0)
	if e := s.of(t, dead); e.Healthy || !strings.Contains(e.Error, "connection refused") || e.Role != "" {
		t.Errorf("the dead one: %+v", e)
	}
	if !s.Reachable {
		t.Errorf("two of three are enough: %+v", s)
	}
	text, _ := p.run(0, "status")
	for _, want := range []string{
		"store      etcd: etcd://", "safety     linearizable: one holder at a time, also through crashes, partitions and changes of leader",
		"expiry     up to 2s after the TTL", "\nENDPOINT ", dead.Endpoint() + "   no ", "\nwarning: " + dead.Endpoint() + ": ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}

	hangs.Pause()
	s = p.status(69)
	if e := s.of(t, hangs); e.Healthy || e.Error != "no answer" {
		t.Errorf("the one that hangs: %+v", e)
	}
	if e := s.of(t, c.Members[2]); e.Healthy || e.Error == "" || e.Version == "" {
		t.Errorf("the one that is alone: %+v", e)
	}
	if s.Reachable || s.Error == "" {
		t.Errorf("one of three is not enough: %+v", s)
	}
	hangs.Resume()
}

// An alarm is shown, and what it means.
func TestStatusOfAlarm(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 1)
	p := at(t, url(c))
	client := c.Client(t)
	told, err := client.Status(t.Context(), c.Members[0].Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	_, err = etcdserverpb.NewMaintenanceClient(client.ActiveConnection()).Alarm(t.Context(), &etcdserverpb.AlarmRequest{
		Action: etcdserverpb.AlarmRequest_ACTIVATE, MemberID: told.Header.MemberId, Alarm: etcdserverpb.AlarmType_NOSPACE,
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := p.status(0).of(t, c.Members[0]); len(e.Alarms) != 1 || e.Alarms[0] != "NOSPACE" {
		t.Errorf("got %+v", e)
	}
	if text, _ := p.run(0, "status"); !strings.Contains(text, ": alarm NOSPACE: no lock can be taken") {
		t.Errorf("it says\n%s", text)
	}
	_, stderr := p.run(69, "run", "x", "-n", "--ttl", "2s", "--", "true")
	if !strings.Contains(stderr, "database space exceeded") {
		t.Errorf("run says %q", stderr)
	}
}

// oldServer says that it is of a version with known faults. It answers nothing else.
type oldServer struct {
	etcdserverpb.UnimplementedMaintenanceServer
	etcdserverpb.UnimplementedKVServer
}

func (oldServer) Status(context.Context, *etcdserverpb.StatusRequest) (*etcdserverpb.StatusResponse, error) {
	return &etcdserverpb.StatusResponse{
		Header: &etcdserverpb.ResponseHeader{MemberId: 7}, Leader: 7, Version: "3.5.12", DbSize: 900, DbSizeQuota: 1000,
	}, nil
}

func (oldServer) Range(context.Context, *etcdserverpb.RangeRequest) (*etcdserverpb.RangeResponse, error) {
	return &etcdserverpb.RangeResponse{Header: &etcdserverpb.ResponseHeader{Revision: 1}}, nil
}

// A version with known faults is warned of, with what mends each.
func TestStatusOfOldVersion(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	etcdserverpb.RegisterMaintenanceServer(server, oldServer{})
	etcdserverpb.RegisterKVServer(server, oldServer{})
	go func() { _ = server.Serve(l) }() // ended by Stop
	t.Cleanup(server.Stop)
	p := at(t, "etcd://"+l.Addr().String())
	e := p.status(0).Endpoints[0]
	if len(e.Faults) != 3 || !strings.HasSuffix(e.Faults[0], "(mended in 3.5.13)") {
		t.Errorf("got %+v", e)
	}
	text, _ := p.run(0, "status")
	for _, want := range []string{
		"etcd 3.5.12: a leader that stalled on its disk", "(mended in 3.5.13)", "(mended in 3.5.23)", "(mended in 3.5.28)",
		"the database fills more than 80 % of its quota",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}
