package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// maxColumns is how wide the help may be: it is not wrapped again.
const maxColumns = 100

// What the help says fits a terminal that is not very narrow.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if line = strings.TrimSuffix(line, "\n"); len(line) > maxColumns {
				t.Errorf("%s has a line of %d columns: %s", cmd.CommandPath(), len(line), line)
			}
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "completion" { // that one is not ours
				look(sub)
			}
		}
	}
	look(newRoot())
}
