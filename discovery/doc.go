// Package discovery tells clients of a service where its instances are.
//
//	r, err := discovery.Register(ctx, client, "orders", discovery.Instance{ID: "orders-7", Addr: "10.0.0.7:9000"})
//	defer r.Close(ctx)
//	instances, err := discovery.Lookup(ctx, client, "orders")
//	for s, err := range discovery.Watch(ctx, client, "orders") { ... } // all instances, whenever that changed
//
// An instance is a member of a group (package membership), and what is guaranteed of members is of
// instances: one that lives comes back after a lost session with its newest data; one that was
// closed never does; one that crashed is gone a TTL later, and replaced at once when it starts
// again with its ID; a list is whole, never older than the one before, never empty because the
// store is away.
//
// # What it does not guarantee
//
// That who is on the list answers. An instance is there while its process lives and reaches the
// store; whether it is well, or can be reached from where you are, it says itself (its
// metadata, or by closing its registration), or a health check does. Between a crash and the
// end of the session callers still get its address: try another one on an error.
//
// Module discovery/grpcdiscovery is a resolver for gRPC.
package discovery
