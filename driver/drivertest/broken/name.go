package broken

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/holdgate/holdgate/driver"
)

func nameFaults() []Fault {
	unrelated := []string{"names/unrelated"}
	return []Fault{
		{Name: "names are folded to lower case", CaughtBy: unrelated, plant: rename(strings.ToLower)},
		{Name: "names are trimmed", CaughtBy: unrelated, plant: rename(strings.TrimSpace)},
		{Name: "names lose their last dots", CaughtBy: unrelated, plant: rename(func(name string) string {
			return strings.TrimRight(name, ". ")
		})},
		{Name: "names are cleaned as paths", CaughtBy: unrelated, plant: rename(path.Clean)},
		{Name: "names are unescaped once too often", CaughtBy: unrelated, plant: rename(func(name string) string {
			plain, err := url.PathUnescape(name)
			if err != nil {
				return name
			}
			return plain
		})},
		{Name: "names are cut to 255 bytes", CaughtBy: unrelated, plant: rename(func(name string) string {
			return strings.ToValidUTF8(name[:min(len(name), 255)], "")
		})},
		{
			Name: "names keep only letters and digits", CaughtBy: []string{"names/unrelated", "names/random"},
			plant: rename(func(name string) string {
				return strings.Map(func(r rune) rune {
					if unicode.IsLetter(r) || unicode.IsDigit(r) {
						return r
					}
					return '_'
				}, name)
			}),
		},
		{Name: "names beyond the BMP are one", CaughtBy: unrelated, plant: rename(func(name string) string {
			return strings.Map(func(r rune) rune {
				if r > 0xffff {
					return '\ufffd'
				}
				return r
			}, name)
		})},
		{Name: "names that are none are mended", CaughtBy: []string{"input/bad-names"}, plant: mend},
	}
}

// rename gives the store other names; what it makes no name of stays as it is.
func rename(change func(string) string) func(*overrides) {
	return func(do *overrides) {
		do.name = func(name string) string {
			if changed := change(name); driver.CheckName(name) == nil && driver.CheckName(changed) == nil {
				return changed
			}
			return name
		}
	}
}

// mend makes a name of whatever it is given.
func mend(do *overrides) {
	do.name = func(name string) string {
		name = strings.ReplaceAll(strings.ToValidUTF8(name, "?"), "\x00", "0")
		if name == "" {
			return "default"
		}
		return strings.ToValidUTF8(name[:min(len(name), driver.MaxName)], "")
	}
}
