package discovery

import (
	"cmp"
	"maps"
	"slices"
)

// Address is where a service is reached, as a load balancer wants to know it.
type Address struct {
	Addr   string `json:"addr"`
	Weight int    `json:"weight"`
}

// Addresses returns where the instances are reached, each address once and sorted: see
// ByAddress.
func Addresses(instances []Instance) []Address {
	addresses := make([]Address, 0, len(instances))
	for _, in := range ByAddress(instances) {
		addresses = append(addresses, Address{Addr: in.Addr, Weight: in.Weight})
	}
	return addresses
}

// Addresses returns where the instances are reached, each address once and sorted.
func (s Snapshot) Addresses() []Address { return Addresses(s.Instances) }

// ByAddress returns the instances sorted by address, one for each: where several have the
// same, as when a process was started again under another ID, the one that was registered
// last, as the store says: their clocks may differ.
func ByAddress(instances []Instance) []Instance {
	latest := make(map[string]Instance, len(instances))
	for _, in := range instances {
		if other, twice := latest[in.Addr]; !twice || in.Token > other.Token {
			latest[in.Addr] = in
		}
	}
	return slices.SortedFunc(maps.Values(latest), func(a, b Instance) int { return cmp.Compare(a.Addr, b.Addr) })
}
