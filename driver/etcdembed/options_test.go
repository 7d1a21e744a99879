package etcdembed_test

import (
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

func TestBadOptions(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	good := authority.member(t, "good")
	serverOnly := authority.issue(t, "serverOnly", x509.ExtKeyUsageServerAuth)
	nonsense := filepath.Join(t.TempDir(), "nonsense")
	if err := os.WriteFile(nonsense, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	type options = etcdembed.Options
	for field, cases := range map[string]map[string]options{
		"Dir": {"missing": {Dir: "-"}},
		"Listen": {
			"no port":         {Listen: "127.0.0.1"},
			"a name":          {Listen: "example.test:2379"},
			"a path":          {Listen: "http://127.0.0.1:2379/path"},
			"a user":          {Listen: "http://u:secret@127.0.0.1:2379"},
			"a large port":    {Listen: "127.0.0.1:65536"},
			"another scheme":  {Listen: "ftp://127.0.0.1:2379"},
			"TLS, no files":   {Listen: "https://127.0.0.1:2379"},
			"files, no TLS":   {Listen: "http://127.0.0.1:2379", TLS: good},
			"relative socket": {Listen: "unix://socket"},
			"long socket":     {Listen: "unix:///" + strings.Repeat("x", 110)},
			"socket with TLS": {Listen: "unix:///s", TLS: good},
		},
		"Advertise":     {"all addresses": {Advertise: "0.0.0.0:2379"}, "no host": {Advertise: ":2379"}},
		"ListenPeer":    {"no host": {ListenPeer: ":2380"}, "port 0": {ListenPeer: "127.0.0.1:0"}, "joins": {Join: []string{"127.0.0.1:1"}}},
		"AdvertisePeer": {"alone": {AdvertisePeer: "127.0.0.1:2380"}, "missing": {ListenPeer: "0.0.0.0:2380"}},
		"Name":          {"an equals sign": {Name: "a=b"}, "a comma": {Name: "a,b"}, "a newline": {Name: "a\nb"}, "long": {Name: strings.Repeat("x", 129)}},
		"Cluster": {
			"without this one": {ListenPeer: "127.0.0.1:2380", Cluster: []string{"127.0.0.1:1", "127.0.0.1:2"}},
			"one":              {ListenPeer: "127.0.0.1:2380", Cluster: []string{"127.0.0.1:2380"}},
			"one twice":        {ListenPeer: "127.0.0.1:2380", Cluster: []string{"127.0.0.1:2380", "127.0.0.1:2380"}},
			"a name twice":     {ListenPeer: "127.0.0.1:2380", Cluster: []string{"a=127.0.0.1:2380", "a=127.0.0.1:2381"}},
			"no name":          {ListenPeer: "127.0.0.1:2380", Cluster: []string{"=127.0.0.1:2380", "127.0.0.1:2381"}},
			"another scheme":   {ListenPeer: "127.0.0.1:2380", Cluster: []string{"https://127.0.0.1:2380", "127.0.0.1:2381"}},
		},
		"Join": {
			"and Cluster": {ListenPeer: "127.0.0.1:1", Cluster: []string{"127.0.0.1:1", "127.0.0.1:2"}, Join: []string{"127.0.0.1:3"}},
			"no port":     {ListenPeer: "127.0.0.1:1", Join: []string{"127.0.0.1"}},
		},
		"TLS.Cert": {
			"missing":           {TLS: etcdembed.TLS{Key: good.Key}},
			"not there":         {TLS: etcdembed.TLS{Cert: nonsense + "x", Key: good.Key}},
			"another's key":     {TLS: etcdembed.TLS{Cert: good.Cert, Key: serverOnly.Key}},
			"not for a client":  {TLS: serverOnly},
			"another authority": {TLS: etcdembed.TLS{Cert: good.Cert, Key: good.Key, CA: newAuthority(t).file()}},
		},
		"TLS.Key":    {"missing": {TLS: etcdembed.TLS{Cert: good.Cert}}},
		"TLS.CA":     {"no PEM": {TLS: etcdembed.TLS{Cert: good.Cert, Key: good.Key, CA: nonsense}}},
		"PeerTLS.CA": {"missing": {PeerTLS: etcdembed.TLS{Cert: good.Cert, Key: good.Key}}},
		"User":       {"missing": {Password: "secret"}},
		"Password":   {"missing": {User: "locks"}},
		"Quota":      {"negative": {Quota: -1}, "tiny": {Quota: 1000}},
	} {
		for name, o := range cases {
			t.Run(field+" "+name, func(t *testing.T) {
				t.Parallel()
				o.Dir = map[string]string{"": dataDir(t), "-": ""}[o.Dir]
				if o.Listen == "" && o.TLS == (etcdembed.TLS{}) {
					o.Listen = "127.0.0.1:0"
				}
				_, err := etcdembed.Start(t.Context(), o)
				wantField(t, err, field)
				if strings.Contains(err.Error(), "secret") {
					t.Errorf("the error tells a password: %v", err)
				}
				if _, err := os.Stat(o.Dir); o.Dir != "" && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("a refused start has made the data directory (%v)", err)
				}
			})
		}
	}
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	s := start(t, alone(t))
	o := alone(t)
	o.Listen = s.Endpoints()[0]
	_, err := etcdembed.Start(bounded(t), o)
	wantIs(t, err, etcdembed.ErrFailed)
	if !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("got %v, want it to say that the address is in use", err)
	}
}
