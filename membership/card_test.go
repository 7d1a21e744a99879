package membership

import (
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// What is written is what is read, and what is no card is no member.
func FuzzCard(f *testing.F) {
	f.Add("one", "data", `{"id":"x","join":"y"}`)
	f.Add("a\nb", "\n{}", "{}\n{}")
	f.Add(`"`, "", "")
	f.Add("é\u2028", "\u2028", "null")
	f.Fuzz(func(t *testing.T, id, data, value string) {
		if checkID(id) == nil {
			c := card{ID: id, Incarnation: "life"}
			got, told, ok := readCard(c.encode(data))
			if !ok || got != c || told != data {
				t.Errorf("wrote %+v with %q, read %+v with %q, %v", c, data, got, told, ok)
			}
		}
		if c, _, ok := readCard(value); ok && (c.ID == "" || c.Incarnation == "") {
			t.Errorf("%q is %+v", value, c)
		}
	})
}

// Of two entries of one ID the later one counts, whatever else is in the line.
func TestLaterEntryCounts(t *testing.T) {
	t.Parallel()
	at := func(kind driver.Kind, id, life, data string, token holdgate.Token) holdgate.Place {
		return holdgate.Place{Kind: kind, Token: token, Value: card{ID: id, Incarnation: life}.encode(data)}
	}
	members := membersOf([]holdgate.Place{
		at(driver.KindPresence, "b", "1", "old", 1),
		at(driver.KindPresence, "a", "1", "", 2),
		at(driver.KindMutex, "c", "1", "", 3),
		{Foreign: true},
		at(driver.KindPresence, "b", "2", "new", 4),
	})
	if len(members) != 2 || members[0].ID != "a" || members[1].Data != "new" || members[1].Token != 4 {
		t.Errorf("members %+v", members)
	}
}
