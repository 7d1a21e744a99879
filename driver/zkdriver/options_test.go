package zkdriver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/zkdriver"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	for what, bad := range map[string]struct {
		servers []string
		opts    zkdriver.Options
		want    string
	}{
		"no servers":                  {nil, zkdriver.Options{}, "no servers"},
		"a server without a name":     {[]string{":2181"}, zkdriver.Options{}, "host:port"},
		"a prefix that is relative":   {[]string{"zk"}, zkdriver.Options{Prefix: "locks"}, "Options.Prefix"},
		"a prefix that is the root":   {[]string{"zk"}, zkdriver.Options{Prefix: "/"}, "Options.Prefix"},
		"a prefix with a slash":       {[]string{"zk"}, zkdriver.Options{Prefix: "/a/"}, "Options.Prefix"},
		"a prefix that goes up":       {[]string{"zk"}, zkdriver.Options{Prefix: "/a/../b"}, "Options.Prefix"},
		"verbatim, relative":          {[]string{"zk"}, zkdriver.Options{Verbatim: true, Prefix: "locks/"}, "Options.Prefix"},
		"records that are relative":   {[]string{"zk"}, zkdriver.Options{Verbatim: true, Records: "locks"}, "Options.Records"},
		"records with a slash":        {[]string{"zk"}, zkdriver.Options{Records: "/locks/"}, "Options.Records"},
		"a negative tick":             {[]string{"zk"}, zkdriver.Options{Tick: -time.Second}, "Options.Tick"},
		"a password and no user name": {[]string{"zk"}, zkdriver.Options{Password: "secret"}, "Options.Username"},
		"a user name with a colon":    {[]string{"zk"}, zkdriver.Options{Username: "a:b"}, "Options.Username"},
	} {
		if _, err := zkdriver.New(bad.servers, &bad.opts); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: got the error %v, want one that names %s", what, err, bad.want)
		}
	}
}

func TestFeaturesFollowTheTick(t *testing.T) {
	t.Parallel()
	d, err := zkdriver.New([]string{"127.0.0.1"}, &zkdriver.Options{Tick: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f := d.Features()
	if f.ExpirySlack != time.Second || f.RenewLag != 1500*time.Millisecond || f.MinTTL != 3*time.Second {
		t.Errorf("with a tick of 1 s: slack %v, lag %v, least TTL %v", f.ExpirySlack, f.RenewLag, f.MinTTL)
	}
	if _, err := d.Open(t.Context(), driver.SessionOptions{TTL: f.MinTTL - 1}); err == nil {
		t.Error("a TTL that leaves nothing behind the lag was taken")
	}
}
