package interop_test

import (
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/test/redisserver"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	address := redisserver.Start(t, redisserver.Options{}).Address()
	for name, other := range map[string]func(t *testing.T, lock string) *exec.Cmd{
		"redsync":       func(t *testing.T, lock string) *exec.Cmd { return inGo(t, "redsync", address, lock) },
		"bsm redislock": func(t *testing.T, lock string) *exec.Cmd { return inGo(t, "redislock", address, lock) },
		"redis-py Lock": func(t *testing.T, lock string) *exec.Cmd {
			return inPython(t, "redis", "redis_lock.py", address, lock)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lock := "jobs:" + name
			pairing{other: other(t, lock), lock: lock, drv: singleRedis(t, address)}.check(t)
		})
	}
}

// Redisson keeps its locks in hashes. Such a key is told, not waited for.
func TestKeyOfAnotherKind(t *testing.T) {
	t.Parallel()
	address := redisserver.Start(t, redisserver.Options{}).Address()
	admin := redis.NewClient(&redis.Options{Addr: address})
	t.Cleanup(func() { _ = admin.Close() })
	if err := admin.HSet(t.Context(), "jobs", "8743c9c0-0795-4907-87fd-6c719a6b4586:1", 1).Err(); err != nil {
		t.Fatal(err)
	}
	drv := singleRedis(t, address)
	client, err := holdgate.New(drv, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(t.Context()); _ = drv.Close() })
	began := time.Now()
	for what, lock := range map[string]func() (*holdgate.Hold, error){
		"Lock":    func() (*holdgate.Hold, error) { return client.Mutex("jobs").Lock(bounded(t)) },
		"TryLock": func() (*holdgate.Hold, error) { return client.Mutex("jobs").TryLock(bounded(t)) },
	} {
		if _, err := lock(); !errors.Is(err, holdgate.ErrMismatch) {
			t.Errorf("%s: got the error %v, want a mismatch", what, err)
		}
	}
	if took := time.Since(began); took > holdgate.DefaultTTL {
		t.Errorf("it took %v to tell", took)
	}
}

func singleRedis(t *testing.T, address string) driver.Driver {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: address})
	t.Cleanup(func() { _ = client.Close() })
	d, err := redisdriver.NewSingle(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
