package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadCommandLine(t *testing.T) {
	t.Parallel()
	nonsense := filepath.Join(t.TempDir(), "nonsense")
	if err := os.WriteFile(nonsense, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		env  string
		want string // of the one line on standard error
	}{
		"unknown command":   {args: []string{"surve"}, want: `unknown command "surve"`},
		"unknown flag":      {args: []string{"--lisen", "x"}, want: "unknown flag: --lisen"},
		"no value":          {args: []string{"--listen"}, want: "needs an argument"},
		"no port":           {args: []string{"--listen", "127.0.0.1"}, want: "--listen: is host:port"},
		"a name":            {args: []string{"--listen", "example.test:2379"}, want: "--listen: listens on an IP address"},
		"from a variable":   {env: "HOLDGATED_LISTEN=127.0.0.1", want: "--listen: is host:port"},
		"advertise":         {args: []string{"--advertise", "0.0.0.0:1"}, want: "--advertise: nobody can connect"},
		"peer":              {args: []string{"--peer-listen", "x"}, want: "--peer-listen: "},
		"peer advertise":    {args: []string{"--peer-listen", "0.0.0.0:1"}, want: "--peer-advertise: is required"},
		"cluster of one":    {args: []string{"--peer-listen", "127.0.0.1:1", "--cluster", "127.0.0.1:1"}, want: "--cluster: has 2 to 7"},
		"cluster, no peer":  {args: []string{"--cluster", "127.0.0.1:1,127.0.0.1:2"}, want: "--peer-listen: is required"},
		"join":              {args: []string{"--peer-listen", "127.0.0.1:1", "--join", "x"}, want: "--join: is host:port"},
		"name":              {args: []string{"--name", "a,b"}, want: "--name: "},
		"certificate":       {args: []string{"--tls-key", nonsense}, want: "--tls-cert: is required"},
		"key":               {args: []string{"--tls-cert", nonsense}, want: "--tls-key: is required"},
		"peer authority":    {args: []string{"--peer-tls-cert", nonsense, "--peer-tls-key", nonsense}, want: "--peer-tls-ca: is required"},
		"user":              {args: []string{"--user", "u"}, want: "--password-file: is required"},
		"no password file":  {args: []string{"--user", "u", "--password-file", nonsense + "x"}, want: "--password-file: open"},
		"empty password":    {args: []string{"--user", "u", "--password-file", nonsense}, want: "is empty"},
		"quota":             {args: []string{"--quota", "5"}, want: "--quota: is at least"},
		"quota, a variable": {env: "HOLDGATED_QUOTA=much", want: "HOLDGATED_QUOTA: "},
		"log level":         {args: []string{"--log-level", "loud"}, want: "--log-level is debug"},
		"log format":        {args: []string{"--log-format", "xml"}, want: "--log-format is text or json"},
		"http":              {args: []string{"--http", "8080"}, want: "--http: is host:port"},
		"http for all":      {args: []string{"--http", "0.0.0.0:8080"}, want: "--http-access: is required"},
		"http, no address":  {args: []string{"--http-access", nonsense}, want: "--http: is required"},
		"http access":       {args: []string{"--http", "127.0.0.1:1", "--http-access", nonsense}, want: "--http-access: "},
		"http certificate":  {args: []string{"--http", "127.0.0.1:1", "--http-tls-key", nonsense}, want: "--http-tls-cert: is required"},
		"http key":          {args: []string{"--http", "127.0.0.1:1", "--http-tls-cert", nonsense}, want: "--http-tls-key: is required"},
		"http pair":         {args: []string{"--http", "127.0.0.1:1", "--http-tls-cert", nonsense, "--http-tls-key", nonsense}, want: "--http-tls-cert: "},
		"store, no http":    {args: []string{"--store", "etcd://h"}, want: "--http: is required"},
		"store":             {args: []string{"--http", "127.0.0.1:1", "--store", "gopher://h"}, want: "--store: "},
		"check-config":      {args: []string{"check-config", "--http", "8080"}, want: "--http: is host:port"},
		"data directory":    {args: []string{"--data-dir", nonsense}, want: "--data-dir: "},
		"backup, no file":   {args: []string{"backup"}, want: "holdgated backup takes the file to write"},
		"backup, port 0":    {args: []string{"backup", "f", "--listen", "127.0.0.1:0"}, want: "--listen: port 0"},
		"restore, no file":  {args: []string{"restore"}, want: "holdgated restore takes the file to read"},
		"member":            {args: []string{"member", "add"}, want: `takes list or remove`},
		"member, no ID":     {args: []string{"member", "remove", "xyz"}, want: "hexadecimal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			dir := filepath.Join(home, "data")
			env := []string{"HOME=" + home, "HOLDGATED_DATA_DIR=" + dir}
			if test.env != "" {
				env = append(env, test.env)
			}
			stdout, stderr, code := run(t, env, test.args...)
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, test.want) {
				t.Errorf("got %q on standard output and %q on standard error, want one line with %q", stdout, stderr, test.want)
			}
			if _, err := os.Stat(home); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a refused command has written into the home directory (%v)", err)
			}
		})
	}
}
