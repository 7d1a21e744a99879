package zkstore

import (
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
)

func TestReadOfWords(t *testing.T) {
	t.Parallel()
	var h health.Server
	err := read(`Zookeeper version: 3.8.0-5a02a05eddb59aee, built on 2022-02-25 08:49 UTC
Latency min/avg/max: 0/1.25/12
Received: 10
Sent: 9
Connections: 4
Outstanding: 7
Zxid: 0x100000003
Mode: leader
Node count: 5
`, &h)
	if err != nil || h.Role != "leader" || h.Version != "3.8.0" || h.Untold != "" {
		t.Errorf("got %+v, %v", h, err)
	}
	if h.Load == nil || *h.Load != (health.Load{Latency: 1250 * time.Microsecond, Outstanding: 7, Connections: 4}) {
		t.Errorf("got the load %+v", h.Load)
	}
}

func TestReadOfLessThanAllWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		err    error
		untold bool
	}{
		"This ZooKeeper instance is not currently serving requests\n": {err: errNoMajority},
		"srvr is not executed because it is not in the whitelist.\n":  {untold: true},
		"": {untold: true},
		"Latency min/avg/max: many\nMode: read-only\n":     {err: errReadOnly},
		"Latency min/avg/max: 0/x/1\nMode: follower\n":     {},
		"Zookeeper version: 4\nMode: standalone\nJunk\n\n": {},
	} {
		var h health.Server
		err := read(text, &h)
		if err != want.err { //nolint:errorlint // the very one
			t.Errorf("%q: got %v, want %v", text, err, want.err)
		}
		if (h.Untold != "") != want.untold || want.untold && !strings.Contains(h.Untold, "whitelist") {
			t.Errorf("%q: got the reason %q", text, h.Untold)
		}
		if h.Load != nil {
			t.Errorf("%q: got the load %+v", text, h.Load)
		}
	}
}
