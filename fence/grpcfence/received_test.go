package grpcfence_test

import (
	"context"

	"google.golang.org/grpc/metadata"

	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/fence/grpcfence"
)

// received is the context of a call that shows this pass, as a server has it.
func received(ctx context.Context, p fence.Pass) context.Context {
	return metadata.NewIncomingContext(ctx, metadata.Pairs(grpcfence.KeyToken, p.Token.String(), grpcfence.KeyName, p.Name))
}
