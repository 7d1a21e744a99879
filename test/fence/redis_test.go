package fence_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/redisfence"
	"github.com/holdgate/holdgate/test/redisserver"
)

// ways are the ways to write to Redis under a fence: each appends the token to a list.
func ways(t *testing.T, f *redisfence.Fences) map[string]func(list string, p fence.Pass) error {
	script := redisfence.NewScript(`return redis.call('RPUSH', KEYS[1], ARGV[1])`)
	return map[string]func(string, fence.Pass) error{
		"a script": func(list string, p fence.Pass) error {
			reply, err := f.Run(t.Context(), p, script, []string{list}, int64(p.Token))
			if _, number := reply.(int64); err == nil && !number {
				t.Errorf("the script answered %v, want the length of the list", reply)
			}
			return err
		},
		"a transaction": func(list string, p fence.Pass) error {
			cmds, err := f.TxPipelined(t.Context(), p, func(pipe redis.Pipeliner) error {
				return pipe.RPush(t.Context(), list, int64(p.Token)).Err()
			})
			if err == nil && len(cmds) != 1 {
				t.Errorf("got %d answers, want that of the one command", len(cmds))
			}
			return err
		},
	}
}

func redisFences(t *testing.T) (*redis.Client, *redisfence.Fences) {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: redisserver.Start(t, redisserver.Options{}).Address(), MaxRetries: -1})
	t.Cleanup(func() { _ = client.Close() })
	f, err := redisfence.New(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client, f
}

func TestRedisRefusesOlderTokens(t *testing.T) {
	t.Parallel()
	client, f := redisFences(t)
	for way, write := range ways(t, f) {
		t.Run(way, func(t *testing.T) {
			at := func(token holdgate.Token) fence.Pass { return fence.Pass{Name: way, Token: token} }
			const big = 1 << 53
			accepted := 0
			// 9 and 10: one text is longer, the other sorts later.
			for _, token := range []holdgate.Token{1, 9, 10, 10, 99, 100, big, big + 1, math.MaxInt64} {
				if err := write(way, at(token)); err != nil {
					t.Fatalf("token %v, the largest so far: %v", token, err)
				}
				accepted++
				if token > 1 {
					wantStale(t, write(way, at(token-1)), token-1, token)
				}
			}
			for token, kind := range map[holdgate.Token]error{0: fence.ErrNoToken, math.MaxInt64 + 1: fence.ErrInvalidToken} {
				if err := write(way, at(token)); !errors.Is(err, kind) {
					t.Errorf("token %v: got the error %v, want %v", token, err, kind)
				}
			}
			if n, err := client.LLen(t.Context(), way).Result(); err != nil || int(n) != accepted {
				t.Errorf("%d writes were carried out (%v), want the %d that were let in", n, err, accepted)
			}
		})
	}
}

// Holders of all tokens write at once, by both ways: what is in the list is in order.
func TestRedisWritesAreInOrder(t *testing.T) {
	t.Parallel()
	client, f := redisFences(t)
	var grants, refused atomic.Int64
	var wg sync.WaitGroup
	for _, write := range ways(t, f) {
		for range 3 {
			wg.Go(func() {
				for i := range 60 {
					token := holdgate.Token(grants.Add(1) + 5 - int64(i%6))
					if err := write("log", pass(token)); errors.Is(err, fence.ErrStale) {
						refused.Add(1)
					} else if err != nil {
						t.Errorf("token %v: %v", token, err)
					}
				}
			})
		}
	}
	wg.Wait()
	var tokens []int64
	if err := client.LRange(t.Context(), "log", 0, -1).ScanSlice(&tokens); err != nil {
		t.Fatal(err)
	}
	if err := inOrder(tokens); err != nil {
		t.Error(err)
	}
	if len(tokens) == 0 || refused.Load() == 0 {
		t.Errorf("%d were let in and %d refused: that is no test", len(tokens), refused.Load())
	}
}

func TestRedisScripts(t *testing.T) {
	t.Parallel()
	client, f := redisFences(t)
	ctx := t.Context()

	// Flags stay where they are, and KEYS and ARGV are the caller's.
	flagged := redisfence.NewScript("#!lua flags=allow-oom\nreturn {#KEYS, #ARGV, KEYS[2], ARGV[1]}")
	reply, err := f.Run(ctx, pass(5), flagged, []string{"a", "b"}, "x")
	if got, _ := reply.([]any); err != nil || len(got) != 4 || got[0] != int64(2) || got[1] != int64(1) || got[2] != "b" || got[3] != "x" {
		t.Errorf("the script saw %v (%v)", reply, err)
	}
	// A reply of nothing, and an error of the script itself, are no refusals.
	if _, err := f.Run(ctx, pass(5), redisfence.NewScript("return false"), nil); !errors.Is(err, redis.Nil) {
		t.Errorf("a script that answers nothing: got the error %v, want redis.Nil", err)
	}
	_, err = f.Run(ctx, pass(5), redisfence.NewScript("return redis.error_reply('OWN error')"), nil)
	if err == nil || errors.Is(err, fence.ErrStale) || !strings.Contains(err.Error(), "OWN error") {
		t.Errorf("a script that fails: got the error %v", err)
	}
	wantStale(t, f.Check(ctx, pass(4)), 4, 5)

	// What is no token lets nobody in by a transaction.
	if err := client.Set(ctx, redisfence.DefaultPrefix+"broken", "five", 0).Err(); err != nil {
		t.Fatal(err)
	}
	_, err = f.TxPipelined(ctx, fence.Pass{Name: "broken", Token: 6}, func(redis.Pipeliner) error { return nil })
	if err == nil || errors.Is(err, fence.ErrStale) {
		t.Errorf("a token that is none: got the error %v", err)
	}
}
