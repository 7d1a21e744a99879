package holdgate

import (
	"fmt"
	"strconv"
)

// Token is a fencing token: it strictly increases with every grant of one name, in
// the order of the grants, over the whole life of the store. A resource that
// remembers the largest one it has seen, and refuses smaller ones, is safe from
// a holder that was paused and does not know that it lost the lock.
//
// Its text is a decimal string, also in JSON: it exceeds 2^53. It fits a signed
// 64-bit integer. Zero means that the store gives no tokens.
type Token uint64

// seqBits is the part of a token that tells apart the grants of one place, which
// the goroutines of one process hand to each other.
const seqBits = 8

func newToken(order uint64, seq int) Token {
	if order == 0 {
		return 0
	}
	return Token(order<<seqBits | uint64(seq)) //nolint:gosec // seq is below 1<<seqBits
}

// ParseToken reads what [Token.String] wrote.
func ParseToken(s string) (Token, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || strconv.FormatUint(n, 10) != s {
		return 0, fmt.Errorf("a token is a decimal number up to 2^63-1, not %q", s)
	}
	return Token(n), nil
}

// String returns the decimal text of the token.
func (t Token) String() string { return strconv.FormatUint(uint64(t), 10) }

// MarshalText implements encoding.TextMarshaler: a string in JSON.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Token) UnmarshalText(text []byte) error {
	parsed, err := ParseToken(string(text))
	if err == nil {
		*t = parsed
	}
	return err
}
