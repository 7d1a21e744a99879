package broken

import (
	"context"
	"os"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

func inheritFaults() []Fault {
	return []Fault{
		{
			Name:     "inherited files keep nothing",
			CaughtBy: []string{"inherit/keeps-the-session"},
			Inherit:  true,
			plant: func(do *overrides) {
				do.inherit = func(*session) ([]*os.File, error) {
					f, err := os.Open(os.DevNull)
					return []*os.File{f}, err
				}
			},
		},
		{
			Name:     "inherited files are the session's own",
			CaughtBy: []string{"inherit/files-are-the-caller's"},
			Inherit:  true,
			plant:    giveOnce,
		},
		{
			Name:     "a session lives on in its inherited files",
			CaughtBy: []string{"inherit/close-frees-all-the-same"},
			Inherit:  true,
			plant:    closeUnlessInherited,
		},
		{
			Name:     "inheritance that is not declared",
			CaughtBy: []string{"inherit/refused"},
			Inherit:  true,
			plant:    declare(func(f *driver.Features) { f.Inherit = false }),
		},
	}
}

// giveOnce gives the same files whoever asks.
func giveOnce(do *overrides) {
	var (
		mu    sync.Mutex
		given = make(map[string][]*os.File)
	)
	below := do.inherit
	do.inherit = func(s *session) ([]*os.File, error) {
		mu.Lock()
		defer mu.Unlock()
		if files := given[s.ID()]; files != nil {
			_, err := files[0].Stat() // fails when they were closed, as a child's start would
			return files, err
		}
		files, err := below(s)
		given[s.ID()] = files
		return files, err
	}
}

// closeUnlessInherited leaves the end of the session to the last who has its files.
func closeUnlessInherited(do *overrides) {
	var (
		mu    sync.Mutex
		given = make(map[string]bool)
	)
	inherit, end := do.inherit, do.end
	do.inherit = func(s *session) ([]*os.File, error) {
		mu.Lock()
		defer mu.Unlock()
		given[s.ID()] = true
		return inherit(s)
	}
	do.end = func(ctx context.Context, s *session) error {
		mu.Lock()
		defer mu.Unlock()
		if given[s.ID()] {
			return nil
		}
		return end(ctx, s)
	}
}
