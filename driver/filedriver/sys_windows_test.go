package filedriver

import (
	"errors"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

func TestUnsupported(t *testing.T) {
	t.Parallel()
	_, err := Open(t.TempDir(), nil)
	if !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "not supported on this operating system") {
		t.Errorf("Open: %v, want unsupported, in plain words", err)
	}
}
