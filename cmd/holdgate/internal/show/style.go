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

// Good, Bad, Strong and Faint colour text.
func (s Style) Good(text string) string   { return s.with("32", text) }
func (s Style) Bad(text string) string    { return s.with("31", text) }
func (s Style) Strong(text string) string { return s.with("1", text) }
func (s Style) Faint(text string) string  { return s.with("2", text) }

func (s Style) with(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
