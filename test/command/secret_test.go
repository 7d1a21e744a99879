package command_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// secret is a password that no output may have. It has what a URL has to escape.
const (
	secret  = "s3cr/t?#@ word"
	escaped = "s3cr%2Ft%3F%23%40%20word"
)

// wantSecret fails when a text has the password, however it is written.
func wantSecret(t *testing.T, what, text string) {
	t.Helper()
	for _, form := range []string{"s3cr", "t?#@", "t%3F", "@ word", "%20word"} {
		if strings.Contains(text, form) {
			t.Errorf("the password is in the %s: %s", what, text)
			return
		}
	}
}

// withPasswords returns a cluster of n members where the user locks has to log in, who may
// use /holdgate only.
func withPasswords(t *testing.T, n int) *etcdserver.Cluster {
	t.Helper()
	c := etcdserver.Start(t, n, "--bcrypt-cost", "4")
	admin := c.Client(t)
	ctx := t.Context()
	steps := []func() error{
		func() error { _, err := admin.RoleAdd(ctx, "locks"); return err },
		func() error {
			_, err := admin.RoleGrantPermission(ctx, "locks", "/holdgate/", clientv3.GetPrefixRangeEnd("/holdgate/"), clientv3.PermissionType(clientv3.PermReadWrite))
			return err
		},
		func() error { _, err := admin.UserAdd(ctx, "locks", secret); return err },
		func() error { _, err := admin.UserGrantRole(ctx, "locks", "locks"); return err },
		func() error { _, err := admin.UserAdd(ctx, "root", "admin"); return err },
		func() error { _, err := admin.UserGrantRole(ctx, "root", "root"); return err },
		func() error { _, err := admin.AuthEnable(ctx); return err },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			t.Fatalf("step %d of setting up users: %v", i+1, err)
		}
	}
	return c
}

// all are the commands that ask the store. What is acquired is for a process that ends with the
// test.
func all(t *testing.T) map[string][]string {
	t.Helper()
	owner := exec.Command("cat")
	input, err := owner.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = input.Close(); _ = owner.Wait() })
	return map[string][]string{
		"run":         {"run", "x", "--ttl", "8s", "--wait", "4s", "--", "env"},
		"run --json":  {"run", "x", "--ttl", "8s", "--wait", "4s", "--json", "--", "env"},
		"run -n":      {"run", "x", "--ttl", "8s", "-n", "--", "env"},
		"acquire":     {"acquire", "y", "--ttl", "8s", "--wait", "4s", "--json", "--for-pid", strconv.Itoa(owner.Process.Pid)},
		"ls":          {"ls"},
		"ls --json":   {"ls", "--json"},
		"who":         {"who", "x"},
		"status":      {"status"},
		"status json": {"status", "--json"},
		"evict":       {"evict", "x", "--reason", "r"},
	}
}

// loud makes the libraries say all they can.
func loud() []string {
	return []string{"GRPC_GO_LOG_SEVERITY_LEVEL=info", "GRPC_GO_LOG_VERBOSITY_LEVEL=99", "ETCD_CLIENT_DEBUG=debug"}
}

// A password works from the URL and from the environment, and is in no output: not when all is
// well, nor when it is wrong, nor when the store is not there.
func TestPassword(t *testing.T) {
	t.Parallel()
	c := withPasswords(t, 1)
	host := c.Members[0].Endpoint()
	for name, tc := range map[string]struct {
		store string
		env   []string
		works bool
		says  string
	}{
		"in the URL":       {store: "etcd://locks:" + escaped + "@" + host, works: true},
		"in the variable":  {store: "etcd://locks@" + host, env: []string{"HOLDGATE_STORE_PASSWORD=" + secret}, works: true},
		"wrong":            {store: "etcd://locks:" + escaped + "x@" + host, says: "authentication failed, invalid user ID or password"},
		"wrong user":       {store: "etcd://nobody:" + escaped + "@" + host, says: "authentication failed, invalid user ID or password"},
		"not there":        {store: "etcd://locks:" + escaped + "@127.0.0.1:1", says: "connection refused"},
		"none":             {store: "etcd://" + host, says: "user name is empty"},
		"of no such place": {store: "etcd://locks:" + escaped + "@" + host + "/elsewhere", says: "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, tc.store, append(loud(), tc.env...)...)
			for what, args := range all(t) {
				r := p.start(args...)
				_ = r.stdin.Close()
				code := r.code()
				said := r.stdout.String() + r.stderr.String()
				wantSecret(t, "output of "+what, said)
				switch {
				case tc.works && code == 69, tc.works && code == 64:
					t.Errorf("%s: exit code %d: %s", what, code, said)
				case !tc.works && code != 69:
					t.Errorf("%s: exit code %d, want 69: %s", what, code, said)
				case !strings.Contains(said, tc.says):
					t.Errorf("%s: it says %s, want %q", what, said, tc.says)
				}
			}
		})
	}
}

// Neither the environment of the command has a password, nor what others see of ours.
func TestPasswordIsNotPassedOn(t *testing.T) {
	t.Parallel()
	c := withPasswords(t, 1)
	host := c.Members[0].Endpoint()
	named := "etcd://locks:" + escaped + "@" + host
	p := at(t, named, "HOLDGATE_STORE_PASSWORD="+secret)
	r, pid := p.held("x", "--store", named)
	own, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", r.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	wantSecret(t, "command line", string(own))
	if !strings.Contains(string(own), "etcd://locks:xxx") {
		t.Errorf("the command line is %q", own)
	}
	r.echoes("it has begun") // a program that is about to begin has no environment yet
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		t.Fatal(err)
	}
	wantSecret(t, "environment of the command", string(environ))
	for _, v := range []string{"HOLDGATE_STORE=etcd://" + host + "\x00", "HOLDGATE_NAME=x\x00", "HOLDGATE_FENCING_TOKEN="} {
		if !strings.Contains(string(environ), v) {
			t.Errorf("%q is not in the environment of the command", v)
		}
	}
	if strings.Contains(string(environ), "HOLDGATE_STORE_PASSWORD") || strings.Contains(string(environ), "locks") {
		t.Errorf("the environment of the command has what lets in: %q", environ)
	}
	if e := p.status(0).Endpoints[0]; !e.Healthy || e.Role != "leader" {
		t.Errorf("to somebody who has logged in, the member is %+v", e)
	}
	_ = r.stdin.Close()
	r.wantCode(0)

	// The keeper of acquire, which lives on.
	out, _ := p.run(0, "run", "y", "--", "sh", "-c",
		`HOLDGATE_STORE="$2" "$1" acquire z --for-pid $$ >/dev/null && tr '\0' ' ' </proc/$(pgrep -f "keep --for-pid=$$ ")/cmdline`, "sh", program, named)
	wantSecret(t, "command line of the keeper", out)
	if !strings.Contains(out, "keep") {
		t.Errorf("the command line of the keeper is %q", out)
	}
}

// How the members are is shown also to somebody whose password is wrong, and when they are too few
// to look at one.
func TestStatusWithoutLogin(t *testing.T) {
	t.Parallel()
	c := withPasswords(t, 3)
	p := at(t, strings.Replace(url(c), "//", "//locks:wrong@", 1))
	s := p.status(69)
	if s.Reachable || !strings.Contains(s.Error, "authentication failed") || len(s.Endpoints) != 3 {
		t.Errorf("got %+v", s)
	}
	for _, e := range s.Endpoints {
		if !e.Healthy || e.Answered <= 0 {
			t.Errorf("got %+v", e)
		}
	}
	c.Members[0].Kill()
	c.Members[1].Kill()
	text, stderr := at(t, strings.Replace(url(c), "//", "//locks:"+escaped+"@", 1)).run(69, "status")
	wantSecret(t, "output", text+stderr)
	for _, want := range []string{"answers   no", c.Members[0].Endpoint() + "   no", c.Members[2].Endpoint() + "   no", "connection refused"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}
