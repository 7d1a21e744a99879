package arch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rule says what the packages it covers may be built from. Patterns of ours are
// written without the repository's path, "." is the root package.
type rule struct {
	// covers are the packages that the rule is for. The first rule that covers a
	// package is its rule.
	covers []string
	// ours are the packages of this repository that they may import.
	ours []string
	// others are the packages from elsewhere that may be linked in, also indirectly.
	// The standard library always may.
	others []string
	// testOurs and testOthers are what their tests may import beyond that.
	testOurs, testOthers []string
	// unchecked lifts all limits on what they import.
	unchecked bool
}

// rules lists all layers, from the bottom up.
func rules() []rule {
	golangX := []string{"golang.org/x/..."}
	return []rule{
		{covers: []string{"driver"}},
		{
			covers:   []string{"driver/memdriver/..."},
			ours:     []string{"driver", "driver/memdriver/..."},
			testOurs: []string{"driver/drivertest/..."},
		},
		{
			covers:   []string{"driver/drivertest/..."},
			ours:     []string{"driver", "driver/drivertest/..."},
			testOurs: []string{"driver/memdriver/..."},
		},
		storeDriver("driver/filedriver", golangX...),
		storeDriver("driver/etcddriver", append(etcdClient(), golangX...)...),
		storeDriver("driver/redisdriver", append(redisClient(), golangX...)...),
		storeDriver("driver/zkdriver", zkClient()...),
		storeDriver("driver/remotedriver"),
		{
			// A server, not a driver: it knows nothing of ours.
			covers: []string{"driver/etcdembed/..."},
			others: etcdServer(),
		},
		{
			// It is all tests, and lives above the root as a program does.
			covers:   []string{"internal/simulation"},
			testOurs: []string{".", "driver", "driver/memdriver/...", "internal/history", "membership"},
		},
		{
			covers: []string{"internal/..."},
			ours:   []string{"driver", "internal/..."},
			others: golangX,
		},
		{
			covers:   []string{"."},
			ours:     []string{"driver", "internal/..."},
			others:   golangX,
			testOurs: []string{"driver/memdriver/..."},
		},
		{
			// It reads lines, and takes no part in any.
			covers:   []string{"waitgraph"},
			ours:     []string{"."},
			others:   golangX, // the root's
			testOurs: []string{"driver", "driver/memdriver/..."},
		},
		fencing("fence/grpcfence", grpcClient()...),
		fencing("fence/redisfence", append(redisClient(), golangX...)...),
		fencing("fence"),
		{
			// It needs no session: a driver, and what the store keeps beside the lines.
			covers:   []string{"config"},
			ours:     []string{"driver", "internal/backoff"},
			testOurs: []string{".", "driver/memdriver/..."},
		},
		built("discovery/grpcdiscovery", []string{"discovery"}, grpcClient()...),
		built("discovery", []string{"membership"}),
		built("membership", []string{"internal/backoff"}),
		{
			// An observer: it is told what happens, and knows nobody's insides.
			covers:     []string{"otel/..."},
			ours:       []string{".", "fence"},
			others:     slices.Concat(otelAPI(), golangX),
			testOurs:   []string{"driver/memdriver/..."},
			testOthers: []string{"go.opentelemetry.io/otel/sdk/..."},
		},
		{
			// Files for a browser: they are a client of the API, and know nothing of the server.
			covers: []string{"server/dashboard"},
		},
		{
			// HTTP over the contract: it knows no store, and makes no client of the root, whose
			// lines it reads to find deadlocks.
			covers: []string{"server/..."},
			ours:   []string{".", "waitgraph", "driver", "driver/remotedriver/api", "server", "server/internal/..."},
			others: append([]string{
				"github.com/danielgtaylor/huma/...",
				"github.com/prometheus/...",
				// What Prometheus's client brings along.
				"github.com/beorn7/perks/...",
				"github.com/cespare/xxhash/...",
				"github.com/munnerz/goautoneg/...",
				"go.yaml.in/yaml/...",
				"google.golang.org/protobuf/...",
			}, golangX...),
			testOurs: []string{".", "driver/drivertest/...", "driver/memdriver/...", "driver/remotedriver/..."},
		},
		{
			// Clients only: the command builds and starts fast, so no store's server.
			covers: []string{"cmd/holdgate/..."},
			ours: []string{
				".", "driver", "driver/filedriver", "driver/etcddriver", "driver/redisdriver", "driver/zkdriver", "fence", "config",
				"membership", "discovery", "waitgraph", "cmd/holdgate/...",
				"driver/remotedriver/...",
			},
			others: slices.Concat([]string{
				"github.com/spf13/cobra/...",
				"github.com/spf13/pflag/...",
				"github.com/inconshreveable/mousetrap/...",
			}, etcdClient(), redisClient(), zkClient(), golangX),
			testOurs:   []string{"driver/memdriver/..."},
			testOthers: []string{"github.com/creack/pty/...", "github.com/rogpeppe/go-internal/..."},
		},
		{
			covers: []string{"cmd/holdgated/..."},
			ours: []string{
				"driver", "driver/etcddriver", "driver/etcdembed", "server", "server/dashboard", "cmd/holdgate/storeurl", "cmd/holdgated/...",
			},
			others: slices.Concat([]string{
				"github.com/spf13/cobra/...",
				"github.com/inconshreveable/mousetrap/...",
				"github.com/danielgtaylor/huma/...",
			}, etcdServer(), redisClient(), zkClient()),
			testOurs:   []string{".", "driver/remotedriver"},
			testOthers: []string{"github.com/rogpeppe/go-internal/..."},
		},
		{
			// Never released: they may import everything, and only tests may import them.
			covers:    []string{"test/...", "examples/..."},
			unchecked: true,
		},
	}
}

// storeDriver is the rule for a driver: the contract, its store's client, nothing else.
func storeDriver(dir string, client ...string) rule {
	return rule{
		covers:   []string{dir + "/..."},
		ours:     []string{"driver", dir + "/..."},
		others:   client,
		testOurs: []string{"driver/drivertest/..."},
	}
}

// fencing is the rule for the resource's side of a lock: it is built on the root, whatever the
// store of the locks, and its tests take the one in memory.
func fencing(dir string, client ...string) rule { return built(dir, []string{"fence"}, client...) }

// built is the rule for what is built on the root and the packages beside it.
func built(dir string, on []string, client ...string) rule {
	return rule{
		covers:   []string{dir + "/..."},
		ours:     append([]string{".", "driver", dir + "/..."}, on...),
		others:   append(client, "golang.org/x/..."), // the root's
		testOurs: []string{"driver/memdriver/..."},
	}
}

// check returns every breach of the rules, sorted.
func check(g graph, rules []rule) []string {
	breaches := map[string]bool{}
	report := func(format string, args ...any) { breaches[fmt.Sprintf(format, args...)] = true }
	for _, p := range g.ours() {
		checkName(p, report)
		i := slices.IndexFunc(rules, func(r rule) bool { return matches(inRepo(r.covers), p.path) })
		if i < 0 {
			report("%s: no rule in test/arch says what it may import", p.path)
			continue
		}
		if !rules[i].unchecked {
			checkImports(g, p, rules[i], report)
		}
	}
	return sortedKeys(breaches)
}

func checkName(p pkg, report func(string, ...any)) {
	names := append(strings.Split(strings.TrimPrefix(p.path, ours), "/"), p.name)
	for _, name := range names {
		switch name {
		case "util", "utils", "common", "helper", "helpers", "misc", "shared", "types", "pkg":
			report("%s: %q does not say what a package is for", p.path, name)
		}
	}
}

func checkImports(g graph, p pkg, r rule, report func(string, ...any)) {
	for _, path := range p.imports {
		if isOurs(path) && !matches(inRepo(r.ours), path) {
			report("%s: must not import %s", p.path, path)
		}
	}
	for _, path := range g.needs(p) {
		if !isOurs(path) && !g.isStandard(path) && !matches(r.others, path) {
			report("%s: must not be built from %s", p.path, path)
		}
	}
	testOurs := slices.Concat([]string{p.path}, inRepo(r.ours), inRepo(r.testOurs))
	testOthers := slices.Concat(r.others, r.testOthers)
	for _, path := range p.testImports {
		switch {
		case isOurs(path) && !matches(testOurs, path):
			report("%s: its tests must not import %s", p.path, path)
		case !isOurs(path) && !g.isStandard(path) && !matches(testOthers, path):
			report("%s: its tests must not import %s", p.path, path)
		}
	}
}

func sortedKeys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
