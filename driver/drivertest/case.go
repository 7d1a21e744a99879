package drivertest

import (
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// testCase is one rule of the contract and the code that checks it.
type testCase struct {
	// name is theme/rule. It is stable: package broken refers to it.
	name string
	// reason says why the rule exists: who suffers when a driver breaks it.
	reason string
	// needs says on which stores the rule applies: all when nil.
	needs need
	// slow marks a case that waits for the store's clock.
	slow bool
	run  func(e *env)
}

// setting is a harness, and what its driver declares.
type setting struct {
	Harness
	driver.Features
	// ttl is the time to live of sessions that are meant to expire.
	ttl time.Duration
	// expires says that sessions end by time.
	expires bool
	// clock says that the driver implements driver.Clock.
	clock bool
}

// longTTL is the time to live of sessions that must outlast their case, though nobody
// renews them.
func (s setting) longTTL() time.Duration {
	d := max(30*time.Second, 15*s.ttl)
	if s.MaxTTL > 0 {
		d = min(d, s.MaxTTL)
	}
	return d
}

// cases returns the whole suite, theme by theme.
func cases() []testCase {
	return slices.Concat(
		featureCases(),
		enterCases(),
		retryCases(),
		tryCases(),
		tryRaceCases(),
		waitCases(),
		queueCases(),
		orderCases(),
		unitCases(),
		unitWakeCases(),
		mismatchCases(),
		updateCases(),
		updateUnitCases(),
		swapCases(),
		leaveCases(),
		sessionCases(),
		expiryCases(),
		expiryWaiterCases(),
		evictCases(),
		evictForceCases(),
		lineCases(),
		watchCases(),
		watchFlowCases(),
		nameCases(),
		inputCases(),
		inputPlaceCases(),
		presentCases(),
		cancelCases(),
		closedCases(),
		stressCases(),
		singleCases(),
		foreignCases(),
		operatorCases(),
		outageCases(),
		kvCases(),
		kvWriteCases(),
		kvWatchCases(),
		tryAllCases(),
		inheritCases(),
		nudgeCases(),
		attachCases(),
		clockCases(),
	)
}

// applicable returns the cases that hold for this driver.
func (s setting) applicable() []testCase {
	return slices.DeleteFunc(cases(), func(c testCase) bool {
		return c.needs != nil && !c.needs(s)
	})
}

// need is a condition on a store.
type need func(setting) bool

func not(n need) need { return func(s setting) bool { return !n(s) } }

func all(needs ...need) need {
	return func(s setting) bool {
		return !slices.ContainsFunc(needs, func(n need) bool { return !n(s) })
	}
}

func queue(s setting) bool   { return s.Layout == driver.LayoutQueue }
func single(s setting) bool  { return s.Layout == driver.LayoutSingle }
func shared(s setting) bool  { return s.Shared }
func fair(s setting) bool    { return s.Fair }
func tokens(s setting) bool  { return s.Tokens }
func expires(s setting) bool { return s.expires }
func kv(s setting) bool      { return s.KV }
func tryAll(s setting) bool  { return s.TryAll }
func inherit(s setting) bool { return s.Inherit }
func nudge(s setting) bool   { return s.Nudge }
func attach(s setting) bool  { return s.Attach }
func clock(s setting) bool   { return s.clock }

func canAddForeign(s setting) bool  { return s.Hooks.AddForeign != nil }
func canRemovePlace(s setting) bool { return s.Hooks.RemovePlace != nil }
func canEndSession(s setting) bool  { return s.Hooks.EndSession != nil }
func canLoseAnswer(s setting) bool  { return s.Hooks.LoseAnswer != nil }
func canStall(s setting) bool       { return s.Hooks.Stall != nil }
func canCut(s setting) bool         { return s.Hooks.Cut != nil }

// missingHooks names the hooks that this harness does not have.
func (s setting) missingHooks() []string {
	var missing []string
	for _, hook := range []struct {
		name string
		have need
	}{
		{"AddForeign", canAddForeign},
		{"RemovePlace", canRemovePlace},
		{"EndSession", canEndSession},
		{"LoseAnswer", canLoseAnswer},
		{"Stall", canStall},
		{"Cut", canCut},
	} {
		if !hook.have(s) {
			missing = append(missing, hook.name)
		}
	}
	return missing
}
