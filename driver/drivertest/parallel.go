package drivertest

import "sync"

// both makes calls at the same moment, all of which must succeed.
func (e *env) both(calls ...func() error) {
	e.Helper()
	for i, err := range e.together(calls...) {
		if err != nil {
			e.Fatalf("call %d of %d at the same moment: %v", i+1, len(calls), err)
		}
	}
}

// together makes calls at the same moment, and returns what each answered.
func (e *env) together(calls ...func() error) []error {
	var (
		start   = make(chan struct{})
		answers = make([]error, len(calls))
		running sync.WaitGroup
	)
	for i, call := range calls {
		// Each ends with its call, and is awaited below.
		running.Go(func() {
			<-start
			answers[i] = call()
		})
	}
	close(start)
	running.Wait()
	return answers
}
