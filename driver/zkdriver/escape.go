package zkdriver

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A name is one node of a path, whatever it contains. What ZooKeeper or its clients refuse
// in a path is escaped, byte by byte.

const hexDigits = "0123456789ABCDEF"

// refused says which characters are not for the name of a node: those that ZooKeeper, or
// one of its clients, takes for invalid, and the slash.
func refused(r rune) bool {
	return r == '/' || r < 0x20 || 0x7f <= r && r <= 0x9f || 0xd800 <= r && r <= 0xf8ff || r >= 0xfff0
}

// escape returns the name as the name of a node.
func escape(name string) string {
	if !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, func(r rune) bool { return refused(r) || r == '%' }) {
		return name
	}
	var b strings.Builder
	for i, r := range name {
		_, size := utf8.DecodeRuneInString(name[i:])
		// A dot begins the two names that have a meaning in a path.
		if refused(r) || r == '%' || r == '.' && i == 0 {
			for _, c := range []byte(name[i : i+size]) {
				b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
			}
			continue
		}
		b.WriteString(name[i : i+size])
	}
	return b.String()
}

// unescape returns the name that a node is for. It refuses what escape does not write, so
// that no two nodes have one name.
func unescape(node string) (string, error) {
	b := make([]byte, 0, len(node))
	for i := 0; i < len(node); i++ {
		c := node[i]
		if c == '%' {
			if i+2 >= len(node) {
				return "", fmt.Errorf("%q ends within an escape", node)
			}
			hi, lo := strings.IndexByte(hexDigits, node[i+1]), strings.IndexByte(hexDigits, node[i+2])
			if hi < 0 || lo < 0 {
				return "", fmt.Errorf("%q is no escape of ours", node[i:i+3])
			}
			c = byte(hi<<4 | lo)
			i += 2
		}
		b = append(b, c)
	}
	if name := string(b); escape(name) == node {
		return name, nil
	}
	return "", fmt.Errorf("%q is not escaped as ours are", node)
}
