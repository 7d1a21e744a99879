package holdgate

import (
	"fmt"
	"os"

	"github.com/holdgate/holdgate/driver"
)

// Inherit returns the files that a child process must be given, by
// exec.Cmd.ExtraFiles, for the hold to last as long as the child: where a store ends
// a session with the process that has it open (files). The caller closes them once
// the child has started. It returns none where the store needs none.
func (h *Hold) Inherit() ([]*os.File, error) {
	session, ok := h.place.session.drv.(driver.Inheriter)
	if !ok {
		return nil, nil
	}
	files, err := session.Inherit()
	if err != nil {
		return nil, fmt.Errorf("inherit %q: %w", h.Name(), err)
	}
	return files, nil
}
