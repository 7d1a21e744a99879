package filedriver

import "sync"

// news is what a watch has been told since it last looked: the directories of which
// lines changed.
type news struct {
	// only, when not empty, is the one directory that matters.
	only string
	wake chan struct{} // holds one

	mu   sync.Mutex
	dirs map[string]bool
	all  bool
}

func newNews(only string) *news {
	return &news{only: only, wake: make(chan struct{}, 1), dirs: map[string]bool{}}
}

// tell takes down that a line's directory changed, or appeared, or went.
func (n *news) tell(dir string) {
	if n.only != "" && n.only != dir {
		return
	}
	n.mu.Lock()
	n.dirs[dir] = true
	n.mu.Unlock()
	n.rouse()
}

func (n *news) rouse() {
	select {
	case n.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// take returns what was told since the last time.
func (n *news) take() (dirs map[string]bool, all bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	dirs, all = n.dirs, n.all
	n.dirs, n.all = map[string]bool{}, false
	return dirs, all
}
