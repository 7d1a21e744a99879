package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/test/bench/plot"
)

// figure is a picture of the page.
type figure struct {
	name, title string
	// draw answers false when what it shows was not measured.
	draw func(results) (picture, bool)
}

// picture is drawn, and told in words.
type picture interface {
	SVG() []byte
	Words() string
}

// figures are all pictures.
func figures() []figure {
	const (
		free    = "A free lock, one goroutine: pairs of lock and unlock"
		many    = "64 goroutines, a lock each: pairs of lock and unlock"
		four    = "One lock, 4 processes of 16 goroutines: grants"
		sixteen = "One lock, 16 processes, strict: grants"
	)
	return []figure{
		bars("etcd-free", "etcd. "+free, "EtcdFree", "rate"),
		bars("etcd-many", "etcd. "+many, "EtcdMany/64", "rate"),
		bars("etcd-1024", "etcd. 1,024 goroutines, a lock each: pairs of lock and unlock", "EtcdMany/1024", "rate"),
		bars("etcd-handover", "etcd. "+sixteen, "EtcdHandOver", "rate"),
		bars("etcd-handoff", "etcd. "+four, "EtcdHandOff", "rate"),
		bars("etcd-readers", "etcd. 4 processes of 16 goroutines, 99 % of them read: grants", "EtcdReaders", "rate"),
		bars("etcd-try", "etcd. TryLock on a lock that is held: refusals", "EtcdTry", "refusals"),
		bars("redis-free", "Redis. "+free, "RedisFree", "rate"),
		bars("redis-many", "Redis. "+many, "RedisMany", "rate"),
		bars("redis-handoff", "Redis. "+four, "RedisHandOff", "rate"),
		bars("redis-contest", "Redis. 4 processes of 16 goroutines, held 2 ms: longest wait", "RedisContest", "worst-ns"),
		bars("zookeeper-free", "ZooKeeper. "+free, "ZooKeeperFree", "rate"),
		bars("zookeeper-many", "ZooKeeper. "+many, "ZooKeeperMany", "rate"),
		bars("zookeeper-handover", "ZooKeeper. "+sixteen, "ZooKeeperHandOver", "rate"),
		bars("zookeeper-handoff", "ZooKeeper. "+four, "ZooKeeperHandOff", "rate"),
		lines("growth-renewal", "How long a renewal takes", "holds of one client", "renew-p50-ns", "Holds"),
		lines("growth-heap", "Heap of the client for each hold", "holds of one client", "heap-B", "Holds"),
		lines("growth-waiters", "Hand-overs in a second", "places in the line of one name", "rate", "Waiters"),
		lines("growth-names", "A free lock: lock and unlock", "other names locked before", "cycle-p50-ns", "Names"),
		lines("growth-sessions", "A free lock: lock and unlock", "other sessions with a hold each", "cycle-p50-ns", "Sessions"),
	}
}

// bars compares the products of a benchmark by a measure, the largest first.
func bars(name, title, benchmark, measure string) figure {
	return figure{name, title, func(all results) (picture, bool) {
		drawn := plot.Bars{Title: title, Format: func(v float64) string { return format(v, measure) }}
		byProduct := measuresOf(all[benchmark])
		for _, product := range slices.Sorted(maps.Keys(byProduct)) {
			n, ok := byProduct[product][measure]
			if !ok {
				continue
			}
			bar := plot.Bar{Label: product, Value: n.Value, Ours: isOurs(product)}
			if n.Within != nil {
				bar.Low, bar.High = n.Within.Low, n.Within.High
			}
			drawn.Bars = append(drawn.Bars, bar)
		}
		slices.SortStableFunc(drawn.Bars, func(a, b plot.Bar) int { return -cmp.Compare(a.Value, b.Value) })
		return drawn, len(drawn.Bars) > 0
	}}
}

// isOurs tells Holdgate's products from those of others, and from the floors.
func isOurs(product string) bool {
	return strings.HasPrefix(product, "holdgate") || product == "driver"
}

// stores are those that growth is measured on, as benchmarks and people name them.
func stores() []string { return []string{"etcd", "Redis", "ZooKeeper", "memory"} }

// lines shows how a measure grows on each store, by the benchmarks "<store><what>/<size>".
func lines(name, title, x, measure, what string) figure {
	return figure{name, title, func(all results) (picture, bool) {
		drawn := plot.Lines{Title: title, X: x, Format: func(v float64) string { return format(v, measure) }}
		for _, store := range stores() {
			grown := plot.Line{Label: store}
			sizes := sizesOf(all, strings.ToUpper(store[:1])+store[1:]+what)
			for _, size := range slices.Sorted(maps.Keys(sizes)) {
				if n, ok := sizes[size][measure]; ok && n.Value > 0 {
					grown.Points = append(grown.Points, plot.Point{X: float64(size), Y: n.Value})
				}
			}
			if len(grown.Points) > 0 {
				drawn.Lines = append(drawn.Lines, grown)
			}
		}
		return drawn, len(drawn.Lines) > 0
	}}
}
