package etcd_test

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// lockService calls etcd's lock service, as jetcd and others do, with messages that are
// written here: their Go types belong to the server.
type lockService struct {
	t    *testing.T
	conn *grpc.ClientConn
}

// lock waits for the lock, and returns the key that it is held by.
func (s lockService) lock(name string, lease int64) (key string, err error) {
	s.t.Helper()
	var in []byte
	in = protowire.AppendTag(in, 1, protowire.BytesType)
	in = protowire.AppendString(in, name)
	in = protowire.AppendTag(in, 2, protowire.VarintType)
	in = protowire.AppendVarint(in, uint64(lease))
	out, err := s.call("Lock", in)
	for len(out) > 0 && err == nil {
		number, kind, n := protowire.ConsumeTag(out)
		if n < 0 {
			s.t.Fatal("the answer is no message")
		}
		if out = out[n:]; number == 2 {
			value, _ := protowire.ConsumeBytes(out)
			key = string(value)
		}
		out = out[max(0, protowire.ConsumeFieldValue(number, kind, out)):]
	}
	return key, err
}

func (s lockService) unlock(key string) error {
	s.t.Helper()
	_, err := s.call("Unlock", protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), key))
	return err
}

func (s lockService) call(method string, in []byte) (out []byte, err error) {
	err = s.conn.Invoke(s.t.Context(), "/v3lockpb.Lock/"+method, &in, &out, grpc.ForceCodec(rawCodec{}))
	return out, err
}

// rawCodec passes messages as they are.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func TestLockServiceAndOursExcludeEachOther(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	client := cluster.Client(t)
	theirs := lockService{t, client.ActiveConnection()}
	lease := grant(t, client, 60)
	d := newDriver(t, cluster, nil)
	ses := openSession(t, d, time.Minute)

	key, err := theirs.lock("/holdgate/orders", int64(lease.ID))
	if err != nil {
		t.Fatal(err)
	}
	mine := enter(t, ses, mutex("orders"))
	if mine.Granted {
		t.Fatal("granted, while they hold")
	}
	try := mutex("orders")
	try.Try = true
	if _, err := ses.Enter(t.Context(), try); !errors.Is(err, driver.ErrBusy) {
		t.Errorf("a try while they hold: got the error %v, want busy", err)
	}
	granted := lockedBy(t, ses, mine)
	notYet(t, granted, "waiting for their lock")
	if err := theirs.unlock(key); err != nil {
		t.Fatal(err)
	}
	within(t, granted, "waiting for their lock")

	took := make(chan error, 1)
	go func() { // ends with the lock, or with the test
		_, err := theirs.lock("/holdgate/orders", int64(lease.ID))
		took <- err
	}()
	awaitLine(t, d, "orders", 2)
	notYet(t, took, "their waiting for our lock")
	leave(t, ses, mine)
	within(t, took, "their waiting for our lock")
}
