// Package grpcdiscovery lets gRPC find the instances of a service: a resolver over package
// discovery.
//
//	conn, err := grpc.NewClient("holdgate:///orders",
//		grpc.WithResolvers(grpcdiscovery.NewBuilder(client, nil)),
//		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"round_robin": {}}]}`),
//		...)
//
// A connection follows the instances as they come and go, without polling. While the store is
// away it keeps those it knew last: calls go on. When the last instance is gone
// calls fail with UNAVAILABLE or, with grpc.WaitForReady, wait for the next one.
//
// Without a policy in the service config gRPC takes pick_first: all calls go to one instance.
// Neither that nor round_robin heeds weights; a policy of one's own finds them with [InstanceOf].
//
// The name of the service is what a server's TLS certificate is checked for, unless
// grpc.WithAuthority says otherwise.
package grpcdiscovery
