package holdgate_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/scenarios.md says which test shows what. It must name tests that are there, and
// all that carry the number of a scenario.
func TestTableOfScenarios(t *testing.T) {
	t.Parallel()
	table := read(t, "docs/scenarios.md")
	tests := declared(t, "*_test.go", `func (Test\w+)\(`)
	for _, files := range []string{"membership/*_test.go", "discovery/*_test.go", "cmd/holdgate/*_test.go", "test/command/*_test.go"} {
		maps.Copy(tests, declared(t, files, `func (Test\w+)\(`))
	}
	cases := declared(t, "driver/drivertest/case_*.go", `name:\s+"([a-z/-]+)"`)
	maps.Copy(cases, declared(t, "test/recipes/*_test.go", `"([\w ]+)":\s+\w+,`))
	scripts, err := filepath.Glob("cmd/holdgate/testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		cases[filepath.Base(script)] = true
	}
	named := make(map[string]string) // test or case by row
	for line := range strings.Lines(table) {
		row := regexp.MustCompile(`^\| (S\d\d) \|`).FindStringSubmatch(line)
		if row == nil {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line, -1) {
			switch name := m[1]; {
			case strings.HasPrefix(name, "make "):
			case !tests[name] && !cases[name]:
				t.Errorf("%s names %q, which is not there", row[1], name)
			default:
				named[name] += row[1]
			}
		}
	}
	for name := range tests {
		number := regexp.MustCompile(`^Test(S\d\d)_`).FindStringSubmatch(name)
		if number != nil && !strings.Contains(named[name], number[1]) {
			t.Errorf("%s does not stand in the row of %s", name, number[1])
		}
	}
	if len(named) < 50 {
		t.Errorf("only %d tests found in the table: was its form changed?", len(named))
	}
}

// declared returns what a pattern finds in files.
func declared(t testing.TB, files, pattern string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", files, len(paths), err)
	}
	found := make(map[string]bool)
	for _, path := range paths {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, path), -1) {
			found[m[1]] = true
		}
	}
	return found
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
