package redisdriver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
)

// answer is an error that a server answers.
type answer string

func (a answer) Error() string { return string(a) }
func (a answer) RedisError()   {}

func TestKindOf(t *testing.T) {
	t.Parallel()
	writes, reads := &script{}, &script{reads: true}
	dial := fmt.Errorf("connect: %w", &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded})
	for _, tc := range []struct {
		err    error
		script *script
		want   error
	}{
		{dial, writes, driver.ErrUnavailable},
		{redis.ErrPoolTimeout, writes, driver.ErrUnavailable},
		{io.EOF, writes, driver.ErrUnknownOutcome},
		{io.EOF, reads, driver.ErrUnavailable},
		{os.ErrDeadlineExceeded, writes, driver.ErrUnknownOutcome},
		{&net.OpError{Op: "write", Err: io.ErrClosedPipe}, writes, driver.ErrUnknownOutcome},
		{answer("OOM command not allowed when used memory > 'maxmemory'."), writes, driver.ErrUnavailable},
		{answer("READONLY You can't write against a read only replica."), writes, driver.ErrUnavailable},
		{answer("NOREPLICAS Not enough good replicas to write."), writes, driver.ErrUnavailable},
		{answer("LOADING Redis is loading the dataset in memory"), writes, driver.ErrUnavailable},
		{answer("TRYAGAIN Multiple keys request during rehashing of slot"), writes, driver.ErrUnavailable},
		{answer("ERR Script attempted to access a non local key in a cluster node script: 1"), writes, driver.ErrUnavailable},
		{answer("NOAUTH Authentication required."), writes, driver.ErrDenied},
		{answer("NOPERM this user has no permissions"), writes, driver.ErrDenied},
		{answer("ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'"), writes, driver.ErrUnsupported},
		{answer("WRONGTYPE Operation against a key holding the wrong kind of value"), writes, driver.ErrUnknownOutcome},
		{answer("WRONGTYPE Operation against a key holding the wrong kind of value"), reads, driver.ErrUnavailable},
	} {
		if got := kindOf(tc.err, tc.script); !errors.Is(got, tc.want) {
			t.Errorf("%q, reading %v: got %q, want %q", tc.err, tc.script.reads, got, tc.want)
		}
	}
}
