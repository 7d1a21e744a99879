package show

import (
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
)

// Waiting says in one line whom somebody waits for.
func Waiting(w holdgate.Waiting, now time.Time) string {
	s := fmt.Sprintf("waiting for %s: held by %s", Text(w.Name), Owner(w.Holder))
	if held := Held(w.Holder, now); held != "" {
		s += " for " + held
	}
	if w.Holder.Reason != "" {
		s += " (" + Text(w.Holder.Reason) + ")"
	}
	return fmt.Sprintf("%s, %d ahead", s, w.Ahead)
}
