package show

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/holdgate/holdgate/config"
)

// Setting is an entry of the settings in JSON. A version is a decimal string: it may exceed what
// programs that read numbers as floats can tell apart.
type Setting struct {
	Key     string `json:"key"`
	Version string `json:"version,omitempty"` // absent: the key is not there
	// Value is text; bytes that are none are in Base64 instead.
	Value  *string `json:"value,omitempty"`
	Base64 []byte  `json:"base64,omitempty"`
}

// NewSetting is the view of an entry.
func NewSetting(e config.Entry) Setting {
	s := Setting{Key: e.Key, Version: strconv.FormatUint(e.Version, 10)}
	if utf8.Valid(e.Value) {
		text := string(e.Value)
		s.Value = &text
	} else {
		s.Base64 = e.Value
	}
	return s
}

// Value is a value on one line: as it is, when it is some printable text, else quoted. What begins
// with a quote is quoted too, so that the two can be told apart.
func Value(value []byte) string {
	if text := string(value); text != "" && text[0] != '"' && printable(text, "") {
		return text
	}
	return strconv.Quote(string(value))
}

// Page is a value for a terminal, with a line feed at its end: as it is, when it is text of any
// number of lines, else quoted.
func Page(value []byte) string {
	text := string(value)
	if !printable(text, "\t\n") {
		text = strconv.Quote(text)
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// printable reports whether all of a text may be printed, with these characters too.
func printable(text, too string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) && !strings.ContainsRune(too, r)
	})
}

// valueWidth is how much of a value a table shows.
const valueWidth = 60

// Settings lists entries, one a row, under a heading.
func Settings(entries []config.Entry) []string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "KEY\tVERSION\tVALUE")
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%d\t%s\n", Text(e.Key), e.Version, cut(Value(e.Value), valueWidth))
	}
	_ = w.Flush() // to a buffer
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
}
