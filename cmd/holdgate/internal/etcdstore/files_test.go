package etcdstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
)

// Files that cannot be used are named, and nobody is asked for anything.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	junk, none := filepath.Join(dir, "junk.pem"), filepath.Join(dir, "none.pem")
	if err := os.WriteFile(junk, []byte("junk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for options, want := range map[string]string{
		"ca=" + none:                     none + ": no such file or directory",
		"ca=" + junk:                     junk + " has no certificate in PEM",
		"ca=" + dir:                      dir + ": is a directory",
		"cert=" + none + "&key=" + junk:  none + ": no such file or directory",
		"cert=" + junk + "&key=" + none:  none + ": no such file or directory",
		"cert=" + junk + "&key=" + junk:  "cert and key: ",
		"cert=" + none + "&key=" + none:  none + ": no such file or directory",
		"ca=" + junk + "&server-name=so": junk + " has no certificate in PEM",
	} {
		c, err := read(t, "etcds://127.0.0.1:1?"+options, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Open(t.Context())
		if err == nil {
			_ = s.Close()
		}
		if !errors.Is(err, remote.ErrFiles) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", options, err, want)
		}
	}
}
