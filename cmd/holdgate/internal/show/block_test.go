package show

import (
	"bytes"
	"testing"
)

// A block is cut to the terminal, so that it can be drawn over.
func TestBlock(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := &Block{out: &out, size: func() (int, int) { return 16, 4 }}
	for _, step := range []struct {
		lines []string
		want  string
	}{
		{[]string{"one"}, "\r\x1b[Jone"},
		{[]string{"0123456789abcdefgh", "two"}, "\r\x1b[J0123456789ab...\r\ntwo"},
		{[]string{"1", "2", "3", "4", "5"}, "\r\x1b[1A\x1b[J1\r\n2\r\n... and 3 more"},
		{[]string{"0123456789a"}, "\r\x1b[2A\x1b[J0123456789a"},
	} {
		out.Reset()
		b.Draw(step.lines...)
		if out.String() != step.want {
			t.Errorf("Draw(%q) = %q, want %q", step.lines, &out, step.want)
		}
	}
	out.Reset()
	b.Erase()
	if out.String() != "\r\x1b[J" {
		t.Errorf("Erase = %q", &out)
	}
}
