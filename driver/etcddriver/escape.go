package etcddriver

import (
	"fmt"
	"strings"
)

// A name is one segment of a key, whatever it contains. Each byte is escaped by itself,
// so that the escaped form of a prefix is a prefix of the escaped form: a query for
// a prefix of names is a range of keys.

const hexDigits = "0123456789ABCDEF"

// escape returns the name as a segment of a key.
func escape(name string) string {
	n := 0
	for i := range len(name) {
		if special(name[i]) {
			n++
		}
	}
	if n == 0 {
		return name
	}
	b := make([]byte, 0, len(name)+2*n)
	for i := range len(name) {
		if c := name[i]; special(c) {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// special says which bytes are escaped: the slash that ends a segment, the escape
// itself, and what would garble a terminal.
func special(c byte) bool { return c == '/' || c == '%' || c < ' ' || c == 0x7f }

// unescape returns the name of a segment. It refuses what escape does not write, so
// that no two segments have one name.
func unescape(segment string) (string, error) {
	if !strings.ContainsRune(segment, '%') {
		return segment, nil
	}
	b := make([]byte, 0, len(segment))
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if c == '%' {
			if i+2 >= len(segment) {
				return "", fmt.Errorf("%q ends within an escape", segment)
			}
			hi, lo := strings.IndexByte(hexDigits, segment[i+1]), strings.IndexByte(hexDigits, segment[i+2])
			if hi < 0 || lo < 0 || !special(byte(hi<<4|lo)) {
				return "", fmt.Errorf("%q is no escape of ours", segment[i:i+3])
			}
			c = byte(hi<<4 | lo)
			i += 2
		}
		b = append(b, c)
	}
	return string(b), nil
}
