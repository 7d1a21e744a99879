package drivertest_test

import (
	"slices"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/drivertest/broken"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// TestRejects is the suite's negative control: each case that claims to catch a fault
// must fail on a driver that has it.
func TestRejects(t *testing.T) {
	t.Parallel()
	for _, fault := range broken.Faults() {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			if len(fault.CaughtBy) == 0 {
				t.Fatal("no case is named that catches this fault")
			}
			failures := drivertest.Failures(t, planted(fault), fault.CaughtBy...)
			for _, name := range fault.CaughtBy {
				i := slices.IndexFunc(failures, func(f drivertest.Failure) bool { return f.Case == name })
				if i < 0 {
					t.Errorf("the case %s passed on a driver that has this fault", name)
					continue
				}
				t.Log(failures[i])
			}
		})
	}
}

// TestAcceptsWhatWorks is the control of the control: the same path, and no fault.
func TestAcceptsWhatWorks(t *testing.T) {
	t.Parallel()
	for _, failure := range drivertest.Failures(t, planted(broken.Nothing())) {
		t.Errorf("without a fault, the case failed: %v", failure)
	}
}

// TestEveryCaseHasFailed checks that no case is decoration: there is a fault that each
// one catches.
func TestEveryCaseHasFailed(t *testing.T) {
	t.Parallel()
	caught := make(map[string]bool)
	for _, fault := range broken.Faults() {
		for _, name := range fault.CaughtBy {
			caught[name] = true
		}
	}
	for _, name := range drivertest.CaseNames() {
		if !caught[name] {
			t.Errorf("no fault is known that the case %s catches", name)
		}
	}
}

// planted is a harness with a fault on all handles.
func planted(fault broken.Fault) drivertest.Harness {
	h := memory(memdriver.Options{Faults: far, Nudge: fault.Nudge})
	if fault.Inherit {
		h = processes(true)
	}
	open := h.Open
	h.Open = func(t testing.TB) func(testing.TB) driver.Driver {
		connect, plant := open(t), fault.Wrap()
		return func(t testing.TB) driver.Driver { return plant(connect(t)) }
	}
	return h
}
