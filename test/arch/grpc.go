package arch

// grpcClient is what gRPC is built from.
func grpcClient() []string {
	return []string{
		"google.golang.org/grpc/...",
		"google.golang.org/genproto/googleapis/rpc/...",
		"google.golang.org/protobuf/...",
	}
}
