//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// programTime bounds a program: those on a terminal wait for several things, each of which is
// awaited for soon at most.
const programTime = 4 * soon

// program returns the command itself with these arguments, in an environment where its store
// and its home are in dir.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("holdgate") // TestMain put it there
	if err != nil {
		t.Fatal(err)
	}
	return setUpProgram(t, dir, path, args...)
}

// setUpProgram returns a program that cannot hang for ever: it is killed when it has not ended
// soon, and who has its output open is not waited for.
func setUpProgram(t *testing.T, dir, path string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), programTime)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(),
		"HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_RUNTIME_DIR="+filepath.Join(dir, "run"),
		"HOLDGATE_STORE=file://"+filepath.Join(dir, "locks"))
	return cmd
}

// TestBadInput is S46, and what else can be wrong with a command line: one line that says
// what is wrong and what is allowed, exit code 64, nothing started, nothing written.
func TestBadInput(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 513)
	touch := []string{"--", "touch", "started"}
	for name, tc := range map[string]struct {
		args []string
		want string // in the message
	}{
		"no command":            {[]string{"run", "x"}, "the command is missing: holdgate run NAME -- COMMAND"},
		"no command after dash": {[]string{"run", "x", "--"}, "the command is missing"},
		"no dash":               {[]string{"run", "x", "touch", "started"}, "the command goes after --: holdgate run x -- touch"},
		"no name":               {append([]string{"run"}, touch...), "the name of the lock is missing"},
		"two names":             {append([]string{"run", "x", "y"}, touch...), "one name goes before --, not 2; with --all it holds several"},
		"unknown flag":          {append([]string{"run", "x", "--frobnicate"}, touch...), "unknown flag: --frobnicate; see holdgate run --help"},
		"unknown short flag":    {append([]string{"run", "x", "-z"}, touch...), "unknown shorthand flag"},
		"flag without value":    {[]string{"run", "x", "--wait"}, "flag needs an argument: --wait"},
		"unknown command":       {[]string{"frobnicate"}, `unknown command "frobnicate"; see holdgate --help`},
		"similar command":       {[]string{"wach"}, `did you mean watch?`},

		"name empty":   {append([]string{"run", ""}, touch...), "a name has 1 to 512 bytes, this one is empty"},
		"name long":    {append([]string{"run", long}, touch...), "a name has 1 to 512 bytes, this one has 513"},
		"name no utf8": {append([]string{"run", "a\xff"}, touch...), `a name is UTF-8, "a\xff" is not`},
		"who long":     {[]string{"who", long}, "a name has 1 to 512 bytes, this one has 513"},
		"watch long":   {[]string{"watch", long}, "a name has 1 to 512 bytes, this one has 513"},
		"evict empty":  {[]string{"evict", "", "--reason", "r"}, "a name has 1 to 512 bytes, this one is empty"},

		"ttl 0":        {append([]string{"run", "x", "--ttl", "0"}, touch...), "--ttl is 1s to 24h0m0s, not 0s"},
		"ttl negative": {append([]string{"run", "x", "--ttl", "-5s"}, touch...), "--ttl is 1s to 24h0m0s, not -5s"},
		"ttl 1ms":      {append([]string{"run", "x", "--ttl", "1ms"}, touch...), "--ttl is 1s to 24h0m0s, not 1ms"},
		"ttl 10 years": {append([]string{"run", "x", "--ttl", "87600h"}, touch...), "--ttl is 1s to 24h0m0s, not 87600h0m0s"},
		"ttl word":     {append([]string{"run", "x", "--ttl", "soon"}, touch...), "a duration is written 90s, 5m or 1h30m; a bare number is seconds"},
		"ttl 1e300":    {append([]string{"run", "x", "--ttl", "1e300"}, touch...), "a duration is written"},
		"ttl NaN":      {append([]string{"run", "x", "--ttl", "NaN"}, touch...), "a duration is written"},

		"wait negative":      {append([]string{"run", "x", "--wait", "-1s"}, touch...), "--wait is 0s or more, not -1s"},
		"wait unit":          {append([]string{"run", "x", "--wait", "5x"}, touch...), "a duration is written"},
		"wait and n":         {append([]string{"run", "x", "-n", "--wait", "1s"}, touch...), "--wait and --no-wait exclude each other"},
		"on-busy":            {append([]string{"run", "x", "--on-busy", "cry"}, touch...), `--on-busy is fail or skip, not "cry"`},
		"skip and E":         {append([]string{"run", "x", "--on-busy", "skip", "-E", "3"}, touch...), "excludes -E"},
		"E large":            {append([]string{"run", "x", "-E", "256"}, touch...), "-E is 0 to 255, not 256"},
		"E word":             {append([]string{"run", "x", "-E", "x"}, touch...), `invalid argument "x" for "-E, --busy-code" flag: an exit code is 0 to 255`},
		"max-hold 0":         {append([]string{"run", "x", "--max-hold", "0"}, touch...), "--max-hold is more than 0s, not 0s"},
		"grace negative":     {append([]string{"run", "x", "--grace", "-1s"}, touch...), "--grace is 0s to 7.5s, not -1s"},
		"grace too long":     {append([]string{"run", "x", "--ttl", "10s", "--grace", "6s"}, touch...), "--grace is 0s to 5s, not 6s"},
		"owner long":         {append([]string{"run", "x", "--owner", strings.Repeat("o", 257)}, touch...), "--owner: too large: an owner has at most 256 bytes, this one has 257"},
		"reason long":        {append([]string{"run", "x", "--reason", strings.Repeat("r", 100<<10)}, touch...), "--reason: too large"},
		"shared and permits": {append([]string{"run", "x", "--shared", "--permits", "1/2"}, touch...), "they exclude --permits"},
		"shared, exclusive":  {append([]string{"run", "x", "--shared", "--exclusive"}, touch...), "--shared and --exclusive exclude each other"},
		"all and exclusive":  {append([]string{"run", "x", "y", "--all", "--exclusive"}, touch...), "it excludes --shared, --exclusive and --permits"},
		"all and shared":     {append([]string{"run", "x", "y", "--all", "--shared"}, touch...), "it excludes --shared, --exclusive and --permits"},
		"all twice":          {append([]string{"run", "x", "y", "x", "--all"}, touch...), `"x" comes twice`},
		"permits 0":          {append([]string{"run", "x", "--permits", "0/4"}, touch...), "permits are written N/LIMIT, such as 1/4, with N from 1 to LIMIT"},
		"permits over limit": {append([]string{"run", "x", "--permits", "5/4"}, touch...), "with N from 1 to LIMIT"},
		"permits word":       {append([]string{"run", "x", "--permits", "2"}, touch...), "permits are written N/LIMIT"},
		"at least 0":         {append([]string{"run", "x", "--at-least", "0"}, touch...), "--at-least is 1s to 8784h0m0s, not 0s"},
		"at least, shared":   {append([]string{"run", "x", "--at-least", "1m", "--shared"}, touch...), "it excludes --shared, --exclusive, --permits and --all"},
		"elect two names":    {append([]string{"elect", "x", "y"}, touch...), "one name goes before --, not 2"},
		"elect no command":   {[]string{"elect", "x"}, "the command is missing: holdgate elect NAME -- COMMAND"},
		"elect value":        {append([]string{"elect", "x", "--value", strings.Repeat("v", 5<<10)}, touch...), "too large: value and reason take at most"},

		"acquire no name": {[]string{"acquire"}, "the name of the lock is missing: holdgate acquire NAME"},
		"acquire pid":     {[]string{"acquire", "x", "--for-pid", "-4"}, "--for-pid is the number of a process, not -4"},
		"release none":    {[]string{"release"}, "the handle that holdgate acquire printed is missing: holdgate release HANDLE"},
		"ls two":          {[]string{"ls", "a", "b"}, "it takes at most a prefix, not 2 arguments"},
		"watch both":      {[]string{"watch", "a", "--prefix", "b"}, "a name and --prefix exclude each other"},
		"evict no reason": {[]string{"evict", "x"}, "--reason is missing"},
		"evict no place":  {[]string{"evict", "x", "", "--reason", "r"}, "PLACE is the beginning of an ID, not empty"},
		"evict wait 0":    {[]string{"evict", "x", "--reason", "r", "--wait", "0"}, "--wait is more than 0s, not 0s"},

		"join nothing":        {[]string{"join"}, "the name of the group is missing: holdgate join GROUP -- COMMAND"},
		"join no command":     {[]string{"join", "g"}, "the command is missing: holdgate join GROUP -- COMMAND"},
		"join two":            {append([]string{"join", "g", "h"}, touch...), "one name goes before --, not 2"},
		"join long":           {append([]string{"join", long}, touch...), "a name has 1 to 512 bytes, this one has 513"},
		"join id":             {append([]string{"join", "g", "--id", strings.Repeat("i", 257)}, touch...), "--id is UTF-8 of at most 256 bytes"},
		"join data":           {append([]string{"join", "g", "--data", strings.Repeat("d", 5<<10)}, touch...), "too large: "},
		"join data no utf8":   {append([]string{"join", "g", "--data", "a\xff"}, touch...), "UTF-8"},
		"join grace":          {append([]string{"join", "g", "--grace", "2h"}, touch...), "--grace is 0s to 1h0m0s, not 2h0m0s"},
		"register no addr":    {append([]string{"register", "s"}, touch...), "--addr is missing: where others reach it, HOST:PORT"},
		"register addr":       {append([]string{"register", "s", "--addr", "10.0.0.7"}, touch...), `--addr is HOST:PORT, not "10.0.0.7"`},
		"register host":       {append([]string{"register", "s", "--addr", ":9000"}, touch...), `--addr is HOST:PORT, not ":9000"`},
		"register weight":     {append([]string{"register", "s", "--addr", "h:1", "--weight", "0"}, touch...), "--weight is 1 to 1000000, not 0"},
		"register meta":       {append([]string{"register", "s", "--addr", "h:1", "--meta", "zone"}, touch...), "metadata is written KEY=VALUE, each key once"},
		"register meta twice": {append([]string{"register", "s", "--addr", "h:1", "--meta", "a=1", "--meta", "a=2"}, touch...), "each key once"},
		"register long":       {append([]string{"register", long, "--addr", "h:1"}, touch...), "the name of a service has 1 to 495 bytes, this one has 513"},
		"members nothing":     {[]string{"members"}, "the name of the group is missing: holdgate members GROUP"},
		"lookup nothing":      {[]string{"lookup"}, "the name of the service is missing: holdgate lookup SERVICE"},
		"lookup long":         {[]string{"lookup", long}, "the name of a service has 1 to 495 bytes, this one has 513"},
		"lookup both":         {[]string{"lookup", "s", "--wait", "1s", "--watch"}, "--wait and --watch exclude each other"},

		"config nothing":    {[]string{"config", "set"}, `unknown command "set"; did you mean get or put?`},
		"config no key":     {[]string{"config", "get"}, "the key is missing: holdgate config get KEY"},
		"config empty key":  {[]string{"config", "get", ""}, "a key has 1 to 496 bytes, this one is empty"},
		"config long key":   {[]string{"config", "put", long, "1"}, "a key has 1 to 496 bytes, this one has 513"},
		"config key":        {[]string{"config", "delete", "a\xff"}, `a name is UTF-8, "a\xff" is not`},
		"config prefix":     {[]string{"config", "list", long}, "a key has 1 to 496 bytes, this one has 513"},
		"config empty":      {[]string{"config", "put", "a"}, "the value is empty; --empty writes such a one"},
		"config two values": {[]string{"config", "put", "a", "b", "c"}, "it takes a key and a value, not 3 arguments"},
		"config version":    {[]string{"config", "put", "a", "1", "--if-version", "-1"}, "a version is a whole number, as put prints it"},
		"config gone":       {[]string{"config", "delete", "a", "--if-version", "0"}, "--if-version of what is to be removed is not 0"},
		"config watch":      {[]string{"config", "watch"}, "the key is missing: holdgate config watch [KEY]"},
		"config watch both": {[]string{"config", "watch", "a", "--prefix", "b"}, "a key and --prefix exclude each other"},
		"config store":      {[]string{"config", "list", "--store", "gopher://h"}, "unknown scheme"},

		"store scheme":   {append([]string{"run", "x", "--store", "gopher://h"}, touch...), `unknown scheme "gopher"; allowed are file:///var/lock/holdgate, etcd://, etcds://, `},
		"store word":     {append([]string{"run", "x", "--store", "locks"}, touch...), `"locks": it has no scheme; allowed are file:///`},
		"store broken":   {append([]string{"run", "x", "--store", "file://%zz:pw@"}, touch...), "it cannot be read; allowed are file:///"},
		"store host":     {append([]string{"run", "x", "--store", "file://far/away"}, touch...), "it is file: or file:///absolute/path"},
		"store query":    {append([]string{"run", "x", "--store", "file:///tmp?a=b"}, touch...), "its one parameter is mode"},
		"store password": {append([]string{"run", "x", "--store", "gopher://me:secret@h"}, touch...), "unknown scheme"},
		"etcd no host":   {append([]string{"run", "x", "--store", "etcd:///a"}, touch...), `"etcd:///a": it has no host; see holdgate help store`},
		"etcd port":      {append([]string{"run", "x", "--store", "etcd://h:http"}, touch...), `a port is 1 to 65535, not "http"`},
		"etcd option":    {append([]string{"run", "x", "--store", "etcd://h?timeout=secret"}, touch...), `unknown option "timeout"; there are ca, cert, key, server-name, layout, verbatim`},
		"etcd CA":        {append([]string{"run", "x", "--store", "etcds://h?ca=/no/such.pem"}, touch...), "ca: open /no/such.pem: no such file or directory"},
		"etcd plain CA":  {append([]string{"run", "x", "--store", "etcd://h?ca=/no/such.pem"}, touch...), "option ca is for TLS: write etcds://"},
		"etcd user":      {append([]string{"run", "x", "--store", "etcd://me@h"}, touch...), "there is a user and no password: put it into $HOLDGATE_STORE_PASSWORD"},
		"etcd slash":     {append([]string{"run", "x", "--store", "etcd://me:se/secret@h"}, touch...), "in a password / is written %2F"},
		"etcd acquire":   {[]string{"acquire", "x", "--store", "etcds://h?key=/no/such.pem"}, "options cert and key go together"},
		"etcd status CA": {[]string{"status", "--store", "etcds://h?ca=/no/such.pem"}, "ca: open /no/such.pem: no such file or directory"},
		"ls store":       {[]string{"ls", "--store", "gopher://h"}, "unknown scheme"},
		"status store":   {[]string{"status", "--store", "gopher://h"}, "unknown scheme"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := program(t, dir, tc.args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			var exit *exec.ExitError
			if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != exitUsage {
				t.Errorf("%v, want exit code %d", err, exitUsage)
			}
			said := strings.TrimRight(stderr.String(), "\n")
			if !strings.Contains(said, tc.want) || strings.Contains(said, "\n") || !strings.HasPrefix(said, "holdgate: ") {
				t.Errorf("it says\n%s\nwant one line with %q", said, tc.want)
			}
			if strings.Contains(said, "secret") {
				t.Error("it tells the password")
			}
			if stdout.Len() > 0 {
				t.Errorf("on standard output: %s", &stdout)
			}
			locks, _ := filepath.Glob(filepath.Join(dir, "locks", "lines", "*"))
			if _, err := os.Stat(filepath.Join(dir, "started")); err == nil || len(locks) > 0 {
				t.Errorf("something was started, or locked: %v %v", err, locks)
			}
		})
	}
}
