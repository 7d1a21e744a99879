package grpcfence

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/metadata"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// The metadata that carries a pass. A name is any UTF-8, so it travels as bytes.
const (
	KeyToken = "fencing-token"
	KeyName  = "fencing-name-bin"
)

// ErrMalformed: the metadata of a call is no pass.
var ErrMalformed = errors.New("malformed fencing metadata")

// outgoing adds the pass that ctx carries to what is sent. Without one it changes nothing.
func outgoing(ctx context.Context) (context.Context, error) {
	p, err := fence.FromContext(ctx)
	switch {
	case errors.Is(err, fence.ErrNoPass):
		return ctx, nil
	case err != nil:
		return nil, err
	}
	md, _ := metadata.FromOutgoingContext(ctx)
	md = md.Copy() // it belongs to whoever made it
	if md == nil {
		md = metadata.MD{}
	}
	md.Set(KeyToken, p.Token.String())
	md.Set(KeyName, p.Name)
	return metadata.NewOutgoingContext(ctx, md), nil
}

// incoming is the pass that a call shows.
func incoming(ctx context.Context) (p fence.Pass, err error) {
	md, _ := metadata.FromIncomingContext(ctx)
	token, err := single(md, KeyToken)
	if err != nil {
		return p, err
	}
	if token == "" {
		return p, fmt.Errorf("%w: the call has no %s", fence.ErrNoPass, KeyToken)
	}
	if p.Token, err = holdgate.ParseToken(token); err != nil {
		return p, fmt.Errorf("%w: %s: %w", ErrMalformed, KeyToken, err)
	}
	p.Name, err = single(md, KeyName)
	return p, err
}

// single returns the one value of a key, "" for none. Of two it would depend on who reads
// them which one counts.
func single(md metadata.MD, key string) (string, error) {
	switch values := md.Get(key); len(values) {
	case 0:
		return "", nil
	case 1:
		return values[0], nil
	default:
		return "", fmt.Errorf("%w: %s is there %d times", ErrMalformed, key, len(values))
	}
}
