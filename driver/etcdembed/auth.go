package etcdembed

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// rootName is the user that etcd wants before it turns authentication on, and the role that
// may do everything.
const rootName = "root"

// enableAuth turns authentication on, unless it is. The members of a new cluster all do this at
// once, so each step may find itself done, or refused because another has finished.
func (s *Server) enableAuth(ctx context.Context) error {
	if s.set.User == "" {
		return nil
	}
	c := s.set.clientConfig()
	c.Username, c.Password = "", ""
	return s.persist(ctx, "setting up the user", retryOwn, func(ctx context.Context) error {
		return with(c, func(client *clientv3.Client) error { return s.setUp(ctx, client) })
	})
}

var errSettingUp = errors.New("setting up the user")

func (s *Server) setUp(ctx context.Context, client *clientv3.Client) error {
	status, err := client.AuthStatus(ctx)
	if err != nil || status.Enabled {
		return err
	}
	for _, step := range []func(context.Context, *clientv3.Client) error{s.addUser, s.addRoot, s.addRights, turnOn} {
		if err := step(ctx, client); err != nil {
			// A refusal is none that lasts: authentication is on by now, and this client nobody.
			return fmt.Errorf("%w: %v", errSettingUp, err) //nolint:errorlint // see above
		}
	}
	return nil
}

func turnOn(ctx context.Context, client *clientv3.Client) error {
	_, err := client.AuthEnable(ctx)
	return err
}

// addUser creates the user. One that is there is from a start that was cut off, perhaps
// with another password.
func (s *Server) addUser(ctx context.Context, client *clientv3.Client) error {
	_, err := client.UserAdd(ctx, s.set.User, s.set.Password)
	if errors.Is(err, rpctypes.ErrUserAlreadyExist) {
		_, err = client.UserChangePassword(ctx, s.set.User, s.set.Password)
	}
	return err
}

// addRoot creates the user that etcd wants, as one that cannot log in by a password.
func (s *Server) addRoot(ctx context.Context, client *clientv3.Client) error {
	if s.set.User == rootName {
		return nil
	}
	_, err := client.UserAddWithOptions(ctx, rootName, "", &clientv3.UserAddOptions{NoPassword: true})
	if errors.Is(err, rpctypes.ErrUserAlreadyExist) {
		return nil
	}
	return err
}

func (s *Server) addRights(ctx context.Context, client *clientv3.Client) error {
	if _, err := client.RoleAdd(ctx, rootName); err != nil && !errors.Is(err, rpctypes.ErrRoleAlreadyExist) {
		return err
	}
	for _, user := range []string{rootName, s.set.User} {
		if _, err := client.UserGrantRole(ctx, user, rootName); err != nil {
			return err
		}
	}
	return nil
}
