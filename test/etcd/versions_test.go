package etcd_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// oldVersion lets a server say that it is of an older version.
func oldVersion(version string) grpc.DialOption {
	return grpc.WithChainUnaryInterceptor(func(
		ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		if status, ok := reply.(*pb.StatusResponse); ok {
			status.Version = version
		}
		return err
	})
}

// lines passes on what is logged.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// Some versions of etcd lose locks. Who runs one is told, once per handle.
func TestAServerWithKnownFaultsIsWarnedOf(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	logged := make(lines, 10)
	d, err := etcddriver.New(cluster.Client(t, oldVersion("3.5.12")), &etcddriver.Options{
		Logger: slog.New(slog.NewTextHandler(logged, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	openSession(t, d, time.Minute)
	openSession(t, d, time.Minute)
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	select {
	case line := <-logged:
		for _, want := range []string{"level=WARN", "version=3.5.12", "may be lost early"} {
			if !strings.Contains(line, want) {
				t.Errorf("logged %q, want it to say %q", line, want)
			}
		}
	case <-limit.C:
		t.Fatal("nothing was logged")
	}
	if err := d.Close(); err != nil { // nothing is under way after this
		t.Fatal(err)
	}
	if more := len(logged); more > 0 {
		t.Errorf("%d more lines were logged, the first is %q", more, <-logged)
	}
}
