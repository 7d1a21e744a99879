package sqlfence

import (
	"strings"
	"testing"
)

func TestNew(t *testing.T) {
	t.Parallel()
	for _, d := range []Dialect{Postgres, MySQL, SQLite} {
		for table, want := range map[string]string{"": DefaultTable, "fences": "fences", "app.fences_2": "app.fences_2"} {
			f, err := New(d, &Options{Table: table})
			if err != nil {
				t.Errorf("%s, table %q: %v", d, table, err)
				continue
			}
			if !strings.HasPrefix(f.Schema(), "CREATE TABLE IF NOT EXISTS "+want+" (") || !strings.HasPrefix(f.Statement(), "INSERT INTO "+want+" ") {
				t.Errorf("%s, table %q:\n%s\n%s", d, table, f.Schema(), f.Statement())
			}
		}
		for _, table := range []string{"a b", "a;", `"a"`, "a.b.c", ".a", "a.", "1a", "a-b", "ü", "a\n"} {
			if _, err := New(d, &Options{Table: table}); err == nil || !strings.Contains(err.Error(), "Options.Table") {
				t.Errorf("%s, table %q: got the error %v, want it refused", d, table, err)
			}
		}
	}
	if _, err := New("oracle", nil); err == nil || !strings.Contains(err.Error(), `not "oracle"`) {
		t.Errorf("a dialect that is not known: got the error %v", err)
	}
}
