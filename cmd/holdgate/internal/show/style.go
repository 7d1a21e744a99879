package show

import (
	"os"

	"golang.org/x/term"
)

// Style colours text where that is wanted: on a terminal, unless NO_COLOR is set.
type Style struct{ on bool }

// NewStyle is the style of what is printed to f.
func NewStyle(f *os.File) Style {
	return Style{term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Good is for what went well.
func (s Style) Good(text string) string { return s.with("32", text) }

// Bad is for what did not.
func (s Style) Bad(text string) string { return s.with("31", text) }

// Strong is for names.
func (s Style) Strong(text string) string { return s.with("1", text) }

// Faint is for what may be passed over.
func (s Style) Faint(text string) string { return s.with("2", text) }

func (s Style) with(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
