package show

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Block is some lines on a terminal that are drawn over themselves. They are cut to
// its size: a line that wrapped, or a block that scrolled, could not be drawn over.
type Block struct {
	out   io.Writer
	size  func() (width, height int)
	drawn int // lines
}

// NewBlock returns a block on this terminal, nil when it is something else.
func NewBlock(f *os.File) *Block {
	fd := int(f.Fd())
	if !term.IsTerminal(fd) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return &Block{out: f, size: func() (int, int) {
		width, height, err := term.GetSize(fd)
		if err != nil || width <= 0 || height <= 1 {
			return 80, 24
		}
		return width, height
	}}
}

// Draw shows these lines instead of those before.
func (b *Block) Draw(lines ...string) {
	width, height := b.size()
	if more := len(lines) - (height - 1); more > 0 {
		keep := max(height-2, 0)
		lines = append(lines[:keep:keep], fmt.Sprintf("... and %d more", len(lines)-keep))
	}
	var s strings.Builder
	s.WriteString(b.up())
	for i, line := range lines {
		if i > 0 {
			s.WriteString("\r\n")
		}
		s.WriteString(cut(line, width-1))
	}
	b.drawn = len(lines)
	fmt.Fprint(b.out, s.String())
}

// Erase removes the block: what is printed next begins where it did.
func (b *Block) Erase() {
	fmt.Fprint(b.out, b.up())
	b.drawn = 0
}

// up goes to the beginning of the block and clears from there.
func (b *Block) up() string {
	s := "\r"
	if b.drawn > 1 {
		s = fmt.Sprintf("\r\x1b[%dA", b.drawn-1)
	}
	return s + "\x1b[J"
}

// cut shortens a line to so many characters. Those that take two columns are rare
// enough to be cut too late.
func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	r := []rune(s)
	return string(r[:max(width-3, 0)]) + "..."
}
