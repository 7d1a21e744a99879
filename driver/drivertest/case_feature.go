package drivertest

import (
	"github.com/holdgate/holdgate/driver"
)

func featureCases() []testCase {
	return []testCase{
		{
			name: "features/plausible",
			reason: "A program decides by the features at its start whether a store is good enough for it: " +
				"a value out of range would let it start on a promise that nobody made.",
			run: featuresPlausible,
		},
		{
			name:   "features/constant",
			reason: "Features are read once, so they may differ neither between handles nor over time.",
			run:    featuresConstant,
		},
	}
}

func featuresPlausible(e *env) {
	f := e.Features
	if f.Store == "" {
		e.Error("Store is empty: the store has no name")
	}
	if f.Safety.String() == "unknown" {
		e.Errorf("Safety %d is none of the levels", f.Safety)
	}
	if f.Layout != driver.LayoutQueue && f.Layout != driver.LayoutSingle {
		e.Errorf("Layout %q is neither %q nor %q", f.Layout, driver.LayoutQueue, driver.LayoutSingle)
	}
	if f.Layout == driver.LayoutSingle && (f.Shared || f.Fair) {
		e.Errorf("a single key has no order and no capacity, but Shared is %v and Fair is %v", f.Shared, f.Fair)
	}
	if f.MinTTL < 0 || f.MaxTTL < 0 || f.MaxTTL > 0 && f.MaxTTL < f.MinTTL {
		e.Errorf("the TTL is bounded by %v and %v", f.MinTTL, f.MaxTTL)
	}
	if f.ExpirySlack < 0 || f.RenewLag < 0 {
		e.Errorf("ExpirySlack %v or RenewLag %v is negative", f.ExpirySlack, f.RenewLag)
	}
}

func featuresConstant(e *env) {
	a, b := e.actor(), e.actor()
	a.take(mutex("orders"))
	if got := a.drv.Features(); got != e.Features {
		e.Errorf("after use: got the features %+v, want %+v", got, e.Features)
	}
	if got := b.drv.Features(); got != e.Features {
		e.Errorf("another handle: got the features %+v, want %+v", got, e.Features)
	}
}
