package main

import "time"

// target is one row of the table: a number, and what it must keep to.
type target struct {
	what  string
	from  key
	limit limit
}

// limit is what a number must not exceed, or must at least be.
type limit struct {
	value float64
	least bool
}

func atMost(value float64) limit  { return limit{value, false} }
func atLeast(value float64) limit { return limit{value, true} }

// keeps reports whether a number is within the limit.
func (l limit) keeps(value float64) bool {
	if l.least {
		return value >= l.value
	}
	return value <= l.value
}

// format writes the limit for people.
func (l limit) format(unit string) string {
	if l.least {
		return ">= " + format(l.value, unit)
	}
	return "<= " + format(l.value, unit)
}

// targets are the limits that the project set itself.
func targets() []target {
	us, ms, s := float64(time.Microsecond), float64(time.Millisecond), float64(time.Second)
	const mib = 1 << 20
	return []target{
		{"memory: lock and unlock, free", key{"MemoryFree", "pair-ns"}, atMost(3 * us)},
		{"memory: the same, allocations", key{"MemoryFree", "allocs/op"}, atMost(10)},
		{"memory: hand-off between goroutines", key{"MemoryHandOff", "grant-ns"}, atMost(2 * us)},
		{"memory: the same, allocations", key{"MemoryHandOff", "allocs"}, atMost(0)},
		{"files: lock and unlock, free", key{"FilesFree", "pair-ns"}, atMost(100 * us)},
		{"files: hand-over between two processes, p50", key{"FilesHandOver", "p50-ns"}, atMost(1 * ms)},
		{"holdgate run x -- true, over only starting true", key{"Run", "over-ns"}, atMost(5 * ms)},
		{"200 processes waiting: CPU of one core", key{"Waiting", "cpu-%"}, atMost(1)},
		{"200 processes waiting: woken by a hand-over", key{"Waking", "woken"}, atMost(1)},
		{"1,000 holds, idle: renewals in a TTL", key{"IdleHolds", "renewals"}, atMost(4)},
		{"1,000 holds, idle: CPU of one core", key{"IdleHolds", "cpu-%"}, atMost(1)},
		{"1,000 holds, idle: heap", key{"IdleHolds", "heap-B"}, atMost(8 * mib)},

		{"etcd: free, the driver's speed, of two raw transactions", key{"EtcdFree", "driver/raw"}, atLeast(0.95)},
		{"etcd: free, the driver's speed, of concurrency.Mutex", key{"EtcdFree", "driver/peer"}, atLeast(1)},
		{"etcd: free, client.Mutex's speed, of two raw transactions", key{"EtcdFree", "client/raw"}, atLeast(0.95)},
		{"etcd: free, client.Mutex's speed, of concurrency.Mutex", key{"EtcdFree", "client/peer"}, atLeast(1)},
		{"etcd: 16 processes, strict, as in Do: hand-overs, of concurrency.Mutex", key{"EtcdHandOver", "rate/peer"}, atLeast(4)},
		{"etcd: the same: p50 wait, of concurrency.Mutex", key{"EtcdHandOver", "wait/peer"}, atMost(1. / 4)},
		{"etcd: the same: a hand-over, of a token ring's", key{"EtcdHandOver", "cost/ring"}, atMost(1.3)},
		{"etcd: the same: writes for a hand-over", key{"EtcdHandOver", "writes"}, atMost(1)},
		{"etcd: the same: reads for a hand-over", key{"EtcdHandOver", "reads"}, atMost(1)},
		{"etcd: 16 processes, strict, Release: hand-overs, of concurrency.Mutex", key{"EtcdHandOver", "waited-rate/peer"}, atLeast(3)},
		{"etcd: the same: a hand-over, of a token ring's", key{"EtcdHandOver", "waited-cost/ring"}, atMost(1.6)},
		{"etcd: 4 x 16 goroutines: rate, of concurrency.Mutex", key{"EtcdHandOff", "rate/peer"}, atLeast(40)},
		{"etcd: 4 x 16 goroutines: rate, of concurrency behind sync", key{"EtcdHandOff", "rate/fronted"}, atLeast(40)},
		{"etcd: 4 x 16 goroutines, held 2 ms: Jain index over processes", key{"EtcdContest", "jain"}, atLeast(0.9)},
		{"etcd: 4 x 16 goroutines, held 2 ms: a process passed for", key{"EtcdContest", "holdgate:passed-ns"}, atMost(100 * ms)},
		{"etcd: a lock again that lingers, p50", key{"EtcdLinger", "relock-ns"}, atMost(2 * us)},
		{"etcd: the same: writes, one for each 200 grants among them", key{"EtcdLinger", "writes"}, atMost(0.02)},
		{"etcd: 4 x 16 goroutines, 99 % read: rate, of concurrency.Mutex", key{"EtcdReaders", "rate/peer"}, atLeast(20)},
		{"etcd: TryLock on a lock that is held: refusals, of concurrency.Mutex", key{"EtcdTry", "rate/peer"}, atLeast(2)},
		{"etcd: TryLock on a lock that is held: writes for a refusal", key{"EtcdTry", "writes"}, atMost(0)},
		{"etcd: 10,000 holds of one client: renewals in a TTL", key{"EtcdHolds/10000", "renewals"}, atMost(5)},
		{"etcd: 10,000 holds of one client: heap for each", key{"EtcdHolds/10000", "heap-B"}, atMost(2 << 10)},
		{"etcd: 10,000 holds of one client: a renewal, of that of one hold", key{"EtcdHolds/10000", "renew/one"}, atMost(1.5)},
		{"etcd: 10,000 waiters in 100 sessions: a hand-over, of that of 10", key{"EtcdWaiters/10000", "cost/ten"}, atMost(1.5)},
		{"etcd: a free lock after 10,000 names, of that after one", key{"EtcdNames/10000", "cycle/one"}, atMost(1.5)},
		{"etcd: a free lock beside 10,000 sessions, of that beside one", key{"EtcdSessions/10000", "cycle/one"}, atMost(1.5)},
		{"etcd: 64 goroutines, a lock each: rate, of concurrency.Mutex", key{"EtcdMany/64", "rate/peer"}, atLeast(3)},
		{"etcd: 1,024 goroutines, a lock each: rate, of concurrency.Mutex", key{"EtcdMany/1024", "rate/peer"}, atLeast(4)},
		{"etcd: take-over after kill -9; TTL 2 s, slack 2 s; worst of 4", key{"EtcdTakeOver", "worst-ns"}, atMost(5 * s)},
		{"redis: free, the driver's speed, of redislock", key{"RedisFree", "driver/redislock"}, atLeast(0.75)},
		{"redis: free, client.Mutex's speed, of redislock", key{"RedisFree", "client/redislock"}, atLeast(0.75)},
		{"redis: free, client.Mutex's speed, of the fastest peer", key{"RedisFree", "client/best"}, atLeast(0.8)},
		{"redis: 64 goroutines, a lock each: rate, of redislock and redsync", key{"RedisMany", "rate/go-redis"}, atLeast(1)},
		{"redis: the same, of these over an AutoPipeline", key{"RedisMany", "rate/pipelined"}, atLeast(1)},
		{"redis: the same, of rueidislock", key{"RedisMany", "rate/rueidislock"}, atLeast(1)},
		{"redis: 4 x 16 goroutines, held 2 ms: rate, of the best peer", key{"RedisContest", "rate/peer"}, atLeast(1)},
		{"redis: 4 x 16 goroutines, held 2 ms: longest wait, of any peer's", key{"RedisContest", "worst/peer"}, atMost(0.2)},
		{"redis: 4 x 16 goroutines, held 2 ms: Jain index over processes", key{"RedisContest", "jain"}, atLeast(0.95)},
		{"redis: 4 x 16 goroutines: rate, of the best peer", key{"RedisHandOff", "rate/peer"}, atLeast(5)},
		{"redis: TryLock on a lock that is held: refusals, of the best peer", key{"RedisTry", "rate/peer"}, atLeast(2)},
		{"redis: TryLock on a lock that is held: writes for a refusal", key{"RedisTry", "writes"}, atMost(0)},
		{"redis: 10,000 holds of one client: heap for each", key{"RedisHolds/10000", "heap-B"}, atMost(2 << 10)},
		{"redis: 10,000 holds of one client: a renewal, of that of one hold", key{"RedisHolds/10000", "renew/one"}, atMost(1.5)},
		{"redis: 10,000 waiters in 100 sessions: a hand-over, of that of 10", key{"RedisWaiters/10000", "cost/ten"}, atMost(1.5)},
		{"redis: 64 places wait, strict: requests for a hand-over", key{"RedisHandOver", "requests"}, atMost(3)},
		{"zookeeper: free, client.Mutex's speed, of go-zookeeper's Lock", key{"ZooKeeperFree", "client/peer"}, atLeast(1.5)},
		{"zookeeper: free, client.Mutex's speed, of two raw writes", key{"ZooKeeperFree", "client/raw"}, atLeast(0.95)},
		{"zookeeper: free, fsync off, client.Mutex's speed, of go-zookeeper's Lock", key{"ZooKeeperFreeUnsynced", "client/peer"}, atLeast(1.5)},
		{"zookeeper: free, what a caller of client.Do waits, of go-zookeeper's Lock", key{"ZooKeeperDo", "do/peer"}, atLeast(1.5)},
		{"zookeeper: 64 goroutines, a lock each: rate, of go-zookeeper's Lock", key{"ZooKeeperMany", "rate/peer"}, atLeast(1)},
		{"zookeeper: 16 processes, strict: hand-overs, of go-zookeeper's Lock", key{"ZooKeeperHandOver", "rate/peer"}, atLeast(1.5)},
		{"zookeeper: the same, releases that are waited for", key{"ZooKeeperHandOver", "waited-rate/peer"}, atLeast(1.5)},
		{"zookeeper: 16 processes, strict: a hand-over, of a token ring's", key{"ZooKeeperHandOver", "cost/ring"}, atMost(1.3)},
		{"zookeeper: 16 processes, strict: writes for a hand-over", key{"ZooKeeperHandOver", "writes"}, atMost(1.1)},
		{"zookeeper: 4 x 16 goroutines: rate, of go-zookeeper's Lock", key{"ZooKeeperHandOff", "rate/peer"}, atLeast(20)},
		{"zookeeper: 4 x 16 goroutines, held 2 ms: Jain index over processes", key{"ZooKeeperContest", "jain"}, atLeast(0.9)},
		{"zookeeper: 4 x 16 goroutines, held 2 ms: a process passed for", key{"ZooKeeperContest", "holdgate:passed-ns"}, atMost(100 * ms)},
		{"zookeeper: TryLock on a lock that is held: writes for a refusal", key{"ZooKeeperTry", "writes"}, atMost(0)},
		{"holdgated: start to first lock", key{"Member", "first-lock-ns"}, atMost(2 * s)},
		{"holdgated: memory after the first lock", key{"Member", "resident-B"}, atMost(80 * mib)},
	}
}
