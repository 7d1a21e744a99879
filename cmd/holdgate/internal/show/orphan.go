package show

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate"
)

// Orphan is that the process which took a place has ended, while what it started keeps the place. It
// is a part of a place in JSON.
type Orphan struct {
	PID int `json:"pid"` // the one that has ended
	// KeptBy are those that keep it, as far as that can be seen.
	KeptBy []int `json:"kept_by,omitempty"`
}

// Orphans tells which places are orphans, nil for the others.
type Orphans func(holdgate.Place) *Orphan

// String says it in a line.
func (o Orphan) String() string {
	return fmt.Sprintf("process %d, which took it, has ended; it is kept by %s", o.PID, o.Keepers())
}

// Keepers says who keeps it.
func (o Orphan) Keepers() string {
	if len(o.KeptBy) == 0 {
		return "what that started, which cannot be seen from here"
	}
	var pids []string
	for _, pid := range o.KeptBy {
		pids = append(pids, strconv.Itoa(pid))
	}
	return "what that started: " + strings.Join(pids, ", ")
}
