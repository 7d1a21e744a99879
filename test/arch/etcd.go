package arch

// etcdClient is what etcd's client is built from.
func etcdClient() []string {
	return []string{
		"go.etcd.io/etcd/api/...",
		"go.etcd.io/etcd/client/...",
		"google.golang.org/...",
		// What the client brings along.
		"github.com/coreos/...",
		"github.com/golang/protobuf/...",
		"github.com/grpc-ecosystem/...",
		"go.uber.org/...",
	}
}

// etcdServer is what etcd's server is built from. All of it comes with the server; a change
// here is a new version of etcd, or ours to explain.
func etcdServer() []string {
	return []string{
		"go.etcd.io/...",
		"google.golang.org/...",
		"go.opentelemetry.io/...",
		"go.uber.org/...",
		"golang.org/x/...",
		"github.com/beorn7/perks/...",
		"github.com/cenkalti/backoff/...",
		"github.com/cespare/xxhash/...",
		"github.com/coreos/...",
		"github.com/dustin/go-humanize/...",
		"github.com/go-logr/...",
		"github.com/golang-jwt/jwt/...",
		"github.com/golang/protobuf/...",
		"github.com/google/go-cmp/...",
		"github.com/google/uuid/...",
		"github.com/gorilla/websocket/...",
		"github.com/grpc-ecosystem/...",
		"github.com/jonboulle/clockwork/...",
		"github.com/munnerz/goautoneg/...",
		"github.com/prometheus/...",
		"github.com/sirupsen/logrus/...",
		"github.com/soheilhy/cmux/...",
		"github.com/spf13/pflag/...",
		"github.com/tmc/grpc-websocket-proxy/...",
		"github.com/xiang90/probing/...",
		"go.yaml.in/yaml/...",
		"gopkg.in/natefinch/lumberjack.v2/...",
		"k8s.io/utils/...",
		"sigs.k8s.io/yaml/...",
	}
}
