package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// versionsOf are those of all that is measured: of Go, of the stores' servers, and of the
// clients and peers that the module of the tests requires. What is not installed is left out.
func versionsOf(ctx context.Context) (map[string]string, error) {
	found := map[string]string{"go": runtime.Version()}
	if err := addModules(ctx, found); err != nil {
		return nil, err
	}
	for name, ask := range map[string]struct {
		command []string
		pattern string
	}{
		"redis":     {[]string{"redis-server", "--version"}, `v=(\S+)`},
		"java":      {[]string{"java", "-version"}, `version "([^"]+)"`},
		"etcd":      {[]string{"go", "list", "-C", filepath.Join("test", "etcdbin"), "-m", "go.etcd.io/etcd/server/v3"}, ` v(\S+)`},
		"zookeeper": {[]string{"dpkg-query", "-W", "-f", "${Version}", "zookeeper"}, `^([\d.]+)`},
	} {
		cmd := exec.CommandContext(ctx, ask.command[0], ask.command[1:]...)
		cmd.Env = append(cmd.Environ(), "GOWORK=off")
		said, err := cmd.CombinedOutput() // some say it where errors are said
		if match := regexp.MustCompile(ask.pattern).FindSubmatch(said); err == nil && match != nil {
			found[name] = string(match[1])
		}
	}
	return found, nil
}

// addModules adds those that locks come from.
func addModules(ctx context.Context, to map[string]string) error {
	said, err := exec.CommandContext(ctx, "go", "list", "-C", "test", "-m",
		"go.etcd.io/etcd/client/v3", "github.com/go-zookeeper/zk", "github.com/redis/go-redis/v9", "github.com/bsm/redislock",
		"github.com/go-redsync/redsync/v4", "github.com/redis/rueidis").Output()
	if err != nil {
		return fmt.Errorf("versions of modules: %w", err)
	}
	for line := range bytes.Lines(said) {
		module, version, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		to[module] = version
	}
	return nil
}

// commitOf is the one that is checked out, or empty.
func commitOf(ctx context.Context) string {
	said, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(said))
}
