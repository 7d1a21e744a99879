package drivertest

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"github.com/holdgate/holdgate/driver"
)

// oddNames are names that some store, file system or protocol takes for something
// else. All are allowed, and no two are related.
func oddNames() []string {
	names := []string{
		// Hierarchies, and what looks like their escapes.
		"a", "a/b", "a%2Fb", "a%2fb", "a%252Fb", "a//b", "/a", "a/", "/", "//", "a\\b", "a:b", "a.b",
		// Parts that a file system resolves.
		".", "..", "../a", "./a", "a/.", "a/..", "...", ".hidden", "~", "-", "--", "-rf",
		// Case, and names that Windows reserves or trims.
		"A", "A/b", "Orders", "orders", "ORDERS", "con", "nul.txt", "a ", " a", " ", "a.", "a. ",
		// What quotes, globs and query languages use.
		"%", "%%", "%00", "%2F", "%zz", "*", "a*", "?", "[a]", "{a}", "{a", "a}", "'", `"`, "`", "$a", "#", "&", "|",
		"a;b", "a,b", "a=b", "a+b", "(a)", "<a>", "!", "@a", "^",
		// Control characters.
		"\t", "a\nb", "a\rb", "\x01", "\x1b[31m", "\x7f", "\u0085", "\u2028",
		// Beyond ASCII: private use, the end of the BMP, beyond it, marks, direction.
		"锁", "é", "e\u0301", "ß", "ss", "İ", "ı", "i", "I", "\ue000", "\uf8ff", "\ufeff", "\ufffd", "\uffff", "\U0001f512",
		"\U0010ffff", "\u202eabc", "\u200b",
		// Words that a layout may use itself.
		"lock", "locks", "sessions", "_", "__", "meta", "index", "lease", "0", "00", "0000000000",
	}
	for _, n := range []int{100, 200, 239, 240, 254, 255, 256, driver.MaxName - 1, driver.MaxName} {
		names = append(names, strings.Repeat("n", n))
	}
	long := strings.Repeat("n", driver.MaxName-1)
	return append(names,
		long+"m", "m"+long, // as long as can be, and different only at one end
		strings.Repeat("N", driver.MaxName),
		strings.Repeat("锁", driver.MaxName/3)+"ab",
		strings.Repeat("\U0001f512", driver.MaxName/4),
		strings.Repeat("/", driver.MaxName),
		strings.Repeat("%", driver.MaxName),
		strings.Repeat("../", driver.MaxName/3),
	)
}

// randomNames are n different names of random characters.
func randomNames(rng *rand.Rand, n int) []string {
	seen := make(map[string]bool)
	var names []string
	for len(names) < n {
		name := randomName(rng)
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

func randomName(rng *rand.Rand) string {
	special := []rune("/%._-~\\:*?'\"{}[]()<> \t\n")
	limits := []int32{0x80, 0x800, 0x10000, utf8.MaxRune}
	var b strings.Builder
	for size := 1 + rng.IntN(40); b.Len() < size; {
		r := rng.Int32N(limits[rng.IntN(len(limits))]) + 1
		if rng.IntN(2) == 0 {
			r = special[rng.IntN(len(special))]
		}
		if utf8.ValidRune(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}
