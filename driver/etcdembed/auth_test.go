package etcdembed_test

import (
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

func TestUserAndPassword(t *testing.T) {
	t.Parallel()
	o := alone(t)
	o.User, o.Password = "locks", "secret"
	s := start(t, o)
	put(t, client(t, s), "a")

	_, err := dial(t, s, clientv3.Config{}).Get(bounded(t), "a")
	wantIs(t, err, rpctypes.ErrUserEmpty)
	for user, password := range map[string]string{"locks": "wrong", "root": "root", "nobody": "secret"} {
		if _, err := dial(t, s, clientv3.Config{}).Authenticate(bounded(t), user, password); err == nil {
			t.Errorf("user %s is let in with password %q", user, password)
		}
	}
	stop(t, s)

	put(t, client(t, start(t, o)), "b") // again with the same
}

func TestOtherUserAtARestart(t *testing.T) {
	t.Parallel()
	o := alone(t)
	o.User, o.Password = "root", "secret"
	stop(t, start(t, o))

	for name, password := range map[string]string{"wrong password": "wrong", "none": ""} {
		again := o
		if again.Password = password; password == "" {
			again.User = ""
		}
		t.Run(name, func(t *testing.T) {
			_, err := etcdembed.Start(bounded(t), again)
			wantField(t, err, "User")
		})
	}
}

// All of them set up the same at the same time; and one more, which has to log in to join.
func TestMembersSetUpUsersTogether(t *testing.T) {
	t.Parallel()
	opts := trio(t)
	for i := range opts {
		opts[i].User, opts[i].Password = "locks", "secret"
	}
	servers := startAll(t, opts)
	for _, s := range servers {
		lockAndUnlock(t, client(t, s))
		_, err := dial(t, s, clientv3.Config{}).Get(bounded(t), "a")
		wantIs(t, err, rpctypes.ErrUserEmpty)
	}

	stranger := joiner(t, servers[0])
	_, err := etcdembed.Start(bounded(t), stranger)
	wantIs(t, err, etcdembed.ErrRefused)
	stranger.User, stranger.Password = "locks", "wrong"
	_, err = etcdembed.Start(bounded(t), stranger)
	wantIs(t, err, etcdembed.ErrRefused)
	stranger.Password = "secret"
	lockAndUnlock(t, client(t, start(t, stranger)))
}
