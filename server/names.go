package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// names makes the names that clients have for their sessions, and reads them.
//
// The store's ID of a session is shown to everybody who may look at a line. So what lets
// somebody use a session is its ID and a code, which only servers over this store can
// make, for that session and that caller. The key is in the store, so that all servers have
// the same one, and none has to keep who opened what.
type names struct {
	kv driver.KV

	mu  sync.Mutex
	key []byte // nil: not known yet
}

// ownPrefix is what keys of the server's own begin with. No client sees them.
const ownPrefix = "holdgate.server/"

const (
	secretKey  = ownPrefix + "session-key"
	secretSize = 32
	codeSize   = 16
)

func newNames(kv driver.KV) *names { return &names{kv: kv} }

// name is what the caller calls the session by.
func (n *names) name(ctx context.Context, caller, id string) (string, error) {
	key, err := n.secret(ctx)
	if err != nil {
		return "", err
	}
	return id + "." + code(key, caller, id), nil
}

// id is the session that the caller means. A name that is not the caller's is as good as
// one that never was.
func (n *names) id(ctx context.Context, caller, name string) (string, error) {
	key, err := n.secret(ctx)
	if err != nil {
		return "", err
	}
	i := strings.LastIndexByte(name, '.')
	if i < 0 || !hmac.Equal([]byte(name[i+1:]), []byte(code(key, caller, name[:i]))) {
		if n.kv == nil {
			return "", errMisdirected // another server made it, perhaps
		}
		return "", fmt.Errorf("%w: no session of yours has this name", driver.ErrInvalid)
	}
	return name[:i], nil
}

func code(key []byte, caller, id string) string {
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%d/%s/%s", len(caller), caller, id)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:codeSize])
}

// secret returns the key. The first server over a store makes it.
func (n *names) secret(ctx context.Context) ([]byte, error) {
	if key := n.known(nil); key != nil {
		return key, nil
	}
	made := make([]byte, secretSize)
	_, _ = rand.Read(made) // never fails, says its documentation
	if n.kv == nil {
		return n.known(made), nil // other servers do not know it: sessions are this one's
	}
	key, err := n.agree(ctx, made)
	if err != nil {
		return nil, fmt.Errorf("key of sessions: %w", err)
	}
	return n.known(key), nil
}

// known returns the key, which is this one if there was none.
func (n *names) known(key []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.key == nil {
		n.key = key
	}
	return n.key
}

// agree returns the key that is in the store, or puts this one there.
func (n *names) agree(ctx context.Context, made []byte) ([]byte, error) {
	for {
		e, err := n.kv.Get(ctx, secretKey)
		switch {
		case err == nil && len(e.Value) != secretSize:
			return nil, fmt.Errorf("%w: the key %q is used by other software", driver.ErrMismatch, secretKey)
		case !errors.Is(err, driver.ErrGone):
			return e.Value, err
		}
		_, err = n.kv.Put(ctx, driver.Put{Key: secretKey, Value: made, IfVersion: new(uint64)})
		if err == nil {
			return made, nil
		}
		if !errors.Is(err, driver.ErrConflict) {
			return nil, err
		}
	}
}
