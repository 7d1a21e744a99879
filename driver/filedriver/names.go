package filedriver

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The name of a line becomes the name of a directory. Only lower-case letters, digits,
// '-' and '_' stand for themselves, since some file systems fold case; every other
// byte is %xx. What is longer than maxEscaped is cut, and told apart by a hash; the
// directory then holds the whole name, in nameFile.
const (
	maxEscaped = 200
	cutEscaped = 120
	hashMark   = "~"
	hashBytes  = 16
)

const hexDigits = "0123456789abcdef"

// escape returns the directory name of a line. It is hashed when it alone does not
// tell the line's name.
func escape(name string) (dir string, hashed bool) {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	if b.Len() <= maxEscaped {
		return b.String(), false
	}
	sum := sha256.Sum256([]byte(name))
	return b.String()[:cutEscaped] + hashMark + hex.EncodeToString(sum[:hashBytes]), true
}

// unescape undoes escape. It refuses what escape does not write, so that a line has
// one directory and no more.
func unescape(dir string) (name string, ok bool) {
	if dir == "" || len(dir) > maxEscaped {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(dir); i++ {
		c := dir[i]
		if c == '%' {
			if i+2 >= len(dir) {
				return "", false
			}
			hi, lo := strings.IndexByte(hexDigits, dir[i+1]), strings.IndexByte(hexDigits, dir[i+2])
			if hi < 0 || lo < 0 {
				return "", false
			}
			c = byte(hi<<4 | lo)
			if plain(c) {
				return "", false
			}
			i += 2
		} else if !plain(c) {
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// isHashed reports whether a directory name needs nameFile to tell its line.
func isHashed(dir string) bool { return strings.Contains(dir, hashMark) }

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}
