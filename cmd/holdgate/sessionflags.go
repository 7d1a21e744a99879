package main

import (
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// sessionFlags are those of the commands that stand in a line themselves, where others see them.
type sessionFlags struct {
	storeFlag
	ttl    duration
	owner  string
	reason string
	quiet  bool
	json   bool
}

// check refuses what can be refused without the store.
func (f *sessionFlags) check(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := f.ttl.between("--ttl", holdgate.MinTTL, holdgate.MaxTTL); err != nil {
		return err
	}
	if err := driver.CheckOwner(f.owner); err != nil {
		return usage("--owner: %w", plainError{err})
	}
	if err := (driver.Eviction{Reason: f.reason}).Check(); err != nil {
		return usage("--reason: %w", plainError{err})
	}
	return nil
}

// checkStore refuses what this store cannot do.
func (f *sessionFlags) checkStore(features driver.Features) error {
	low, high := max(holdgate.MinTTL, features.MinTTL), holdgate.MaxTTL
	if features.MaxTTL > 0 {
		high = min(high, features.MaxTTL)
	}
	return f.ttl.between("--ttl on this store", low, high)
}

// lifetime is the TTL that is asked for.
func (f *sessionFlags) lifetime() time.Duration {
	if f.ttl.set {
		return f.ttl.d
	}
	return holdgate.DefaultTTL
}

// ownerText is the owner that others see.
func (f *sessionFlags) ownerText(pid int) string {
	if f.owner != "" {
		return f.owner
	}
	return ownerText(pid)
}
