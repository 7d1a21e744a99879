package etcdembed_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// S78: when the quota is reached, writes say so, and what frees locks still works.
func TestFullQuota(t *testing.T) {
	t.Parallel()
	o := alone(t)
	o.Quota = 1 << 20
	s := start(t, o)
	c := client(t, s)
	lease := session(t, c, "hold", time.Minute)

	err := fill(t, func(key, value string) error {
		_, err := c.Put(bounded(t), key, value)
		return err
	})
	wantIs(t, err, rpctypes.ErrNoSpace)
	_, err = c.Grant(bounded(t), 60)
	wantIs(t, err, rpctypes.ErrNoSpace)

	if _, err := c.KeepAliveOnce(bounded(t), lease); err != nil {
		t.Errorf("renewing a session with a full quota: %v", err)
	}
	if _, err := c.Delete(bounded(t), "key0"); err != nil {
		t.Errorf("deleting with a full quota: %v", err)
	}
	if _, err := c.Revoke(bounded(t), lease); err != nil || exists(t, c, "hold") {
		t.Errorf("ending a session with a full quota: %v", err)
	}
	stop(t, s)
	exists(t, client(t, start(t, o)), "hold") // it starts all the same
}

// fill writes until it is refused.
func fill(t *testing.T, put func(key, value string) error) error {
	t.Helper()
	value := strings.Repeat("x", 100_000)
	for i := range 100 {
		if err := put("key"+strconv.Itoa(i), value); err != nil {
			return err
		}
	}
	return errors.New("10 MB were written into 1 MiB")
}
