package redisstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
)

// What a server is to the others.
const (
	rolePrimary  = "primary"
	roleReplica  = "replica"
	roleSentinel = "sentinel"
)

var (
	errReplica  = errors.New("it is a replica: it takes no locks")
	errLoading  = errors.New("it is still loading its data")
	errUnlinked = errors.New("it does not follow its primary, and cannot replace it")
	errCluster  = errors.New("the cluster is not well: slots have no primary, or most primaries are missing")
)

// lookAtOnly looks at a server that is to take locks by itself.
func lookAtOnly(ctx context.Context, client *redis.Client, h *health.Server) error {
	i, err := ask(ctx, client, h)
	switch {
	case err != nil:
		return err
	case i.role() == roleReplica:
		return errReplica
	}
	return i.fit()
}

// lookAtMember looks at one of several that replace each other.
func lookAtMember(ctx context.Context, client *redis.Client, h *health.Server) error {
	i, err := ask(ctx, client, h)
	switch {
	case err != nil:
		return err
	case i.role() == roleReplica && i["master_link_status"] != "up":
		return errUnlinked
	case i["cluster_enabled"] == "1":
		state, err := client.ClusterInfo(ctx).Result()
		if err == nil && !strings.Contains(state, "cluster_state:ok") {
			return errCluster
		}
	case i.role() == rolePrimary && i["connected_slaves"] == "0":
		h.Warnings = append(h.Warnings, "no replica follows it: nothing can replace it")
	}
	return i.fit()
}

// lookAtSentinel looks at a sentinel, which has to know the primary.
func lookAtSentinel(primary string) look {
	return func(ctx context.Context, client *redis.Client, h *health.Server) error {
		i, err := ask(ctx, client, h)
		if err != nil {
			return err
		}
		h.Role, h.Warnings, h.Size, h.Quota = roleSentinel, nil, 0, 0
		if i["redis_mode"] != "sentinel" {
			return errors.New("it is no sentinel")
		}
		if err := client.Do(ctx, "SENTINEL", "CKQUORUM", primary).Err(); err != nil {
			return err // it says what is missing
		}
		return nil
	}
}

// watchedBy asks a sentinel for a primary and its replicas.
func watchedBy(primary string) func(context.Context, *redis.Client) ([]string, error) {
	return func(ctx context.Context, client *redis.Client) ([]string, error) {
		at, err := client.Do(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", primary).StringSlice()
		if err != nil || len(at) != 2 {
			return nil, err
		}
		replicas := redis.NewMapStringStringSliceCmd(ctx, "SENTINEL", "REPLICAS", primary)
		if err := client.Process(ctx, replicas); err != nil {
			return nil, err
		}
		addresses := []string{net.JoinHostPort(at[0], at[1])}
		for _, r := range replicas.Val() {
			addresses = append(addresses, net.JoinHostPort(r["ip"], r["port"]))
		}
		return addresses, nil
	}
}

// membersKnownTo asks a server of a cluster for all of them.
func membersKnownTo(ctx context.Context, client *redis.Client) ([]string, error) {
	nodes, err := client.ClusterNodes(ctx).Result()
	if err != nil {
		return nil, err
	}
	var addresses []string
	for node := range strings.Lines(nodes) { // id host:port@port[,name] flags ...
		fields := strings.Fields(node)
		if len(fields) < 3 || strings.Contains(fields[2], "noaddr") || strings.Contains(fields[2], "handshake") {
			continue
		}
		at, _, _ := strings.Cut(fields[1], "@")
		if host, port, err := net.SplitHostPort(at); err == nil && host != "" {
			addresses = append(addresses, net.JoinHostPort(host, port))
		}
	}
	return addresses, nil
}

// info is what a server says of itself.
type info map[string]string

// ask has a server tell, and notes what it tells.
func ask(ctx context.Context, client *redis.Client, h *health.Server) (info, error) {
	if err := client.Ping(ctx).Err(); err != nil { // connects, so that this is not timed
		return nil, err
	}
	begun := time.Now()
	text, err := client.Info(ctx).Result()
	if err != nil {
		return nil, err
	}
	h.Took = time.Since(begun)
	i := info{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			i[name] = value
		}
	}
	h.Version, h.Role = i["redis_version"], i.role()
	h.Size, h.Quota = i.number("used_memory"), i.number("maxmemory")
	h.Warnings = i.warnings()
	return i, nil
}

func (i info) number(name string) int64 {
	n, _ := strconv.ParseInt(i[name], 10, 64) // what it does not tell is 0
	return n
}

func (i info) role() string {
	switch i["role"] {
	case "master":
		return rolePrimary
	case "slave":
		return roleReplica
	}
	return ""
}

// fit says why the driver would not take this server.
func (i info) fit() error {
	policy := i["maxmemory_policy"]
	switch {
	case i["loading"] == "1":
		return errLoading
	case i.older(7):
		return fmt.Errorf("it is Redis %s: 7 is needed", i["redis_version"])
	case policy != "" && policy != "noeviction":
		return fmt.Errorf("its maxmemory-policy is %s: it may delete locks; set noeviction", policy)
	}
	return nil
}

func (i info) older(than int) bool {
	text, _, ok := strings.Cut(i["redis_version"], ".")
	major, err := strconv.Atoi(text)
	return ok && err == nil && major < than
}

// warnings are what an operator should do something about.
func (i info) warnings() []string {
	var all []string
	if i["aof_enabled"] == "0" {
		all = append(all, "it has no append-only file: a restart forgets all locks; set appendonly yes")
	}
	if i["aof_last_write_status"] == "err" {
		all = append(all, "it could not write its append-only file: no lock can be taken")
	}
	if i["rdb_last_bgsave_status"] == "err" {
		all = append(all, "it could not save its data: no lock can be taken where stop-writes-on-bgsave-error is on")
	}
	return all
}
