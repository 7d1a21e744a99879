//go:build !linux

package filedriver

// observer cannot tell of changes here; watches compare dates.
type observer struct{}

func (*observer) observe(string, *news) bool { return false }
func (*observer) forget(*news)               {}
func (*observer) close()                     {}
