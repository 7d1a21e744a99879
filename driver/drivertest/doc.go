// Package drivertest is the conformance suite: the contract of package driver as
// code. A store is supported once its driver passes [Run]:
//
//	func TestConformance(t *testing.T) {
//		drivertest.Run(t, drivertest.Harness{
//			Open: func(t testing.TB) func(testing.TB) driver.Driver {
//				dir := t.TempDir()
//				return func(t testing.TB) driver.Driver { return dial(t, dir) }
//			},
//		})
//	}
//
// Each case is one rule. Its reason is printed when it fails, so that the author of
// a driver learns what a user would suffer from the fault.
//
// Which cases run is decided by what the driver declares in driver.Features, and
// for each feature there are cases for both answers: declared, it must work; not
// declared, it must answer driver.ErrUnsupported. So no case is ever skipped. Facts
// that only an outsider can bring about (an entry of other software, an answer that
// was lost) come from the hooks of a [Harness]; the run logs which hooks it did not
// have.
//
// The suite proves itself on package broken: drivers with one planted fault each, all
// of which it must reject. [Failures] is the way to run it so.
package drivertest
