package arch

// redisClient is what a Redis client brings.
func redisClient() []string {
	return []string{
		"github.com/redis/go-redis/...",
		"github.com/cespare/xxhash/...",
		"go.uber.org/atomic",
	}
}
