package membership

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// card is what stands in the place of a member, as its value: one line of JSON that says who
// it is, and then its data as they are. So data that are JSON are not escaped twice.
type card struct {
	ID          string `json:"id"`
	Incarnation string `json:"join"`
}

func (c card) encode(data string) string {
	head, err := json.Marshal(c)
	if err != nil {
		panic(err) // two strings always encode
	}
	return string(head) + "\n" + data
}

// readCard reports false for what is no member: a place that somebody took without this
// package.
func readCard(value string) (c card, data string, ok bool) {
	head, data, _ := strings.Cut(value, "\n")
	if json.Unmarshal([]byte(head), &c) != nil || c.ID == "" || c.Incarnation == "" {
		return card{}, "", false
	}
	return c, data, true
}

// checkID refuses what is no ID.
func checkID(id string) error {
	switch {
	case id == "" || len(id) > MaxID:
		return fmt.Errorf("%w: the ID of a member has 1 to %d bytes, this one has %d", holdgate.ErrInvalid, MaxID, len(id))
	case !utf8.ValidString(id) || strings.IndexByte(id, 0) >= 0:
		return fmt.Errorf("%w: the ID of a member is UTF-8 without NUL, %q is not", holdgate.ErrInvalid, id)
	}
	return nil
}

// membersOf finds the members in a line, sorted by ID. Where an ID stands twice, the later one
// counts: the other belongs to a session that is over, or to a process that was replaced.
func membersOf(places []holdgate.Place) []Member {
	latest := make(map[string]Member, len(places))
	for _, p := range places {
		if m, ok := memberAt(p); ok {
			latest[m.ID] = m
		}
	}
	return slices.SortedFunc(maps.Values(latest), func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
}

func memberAt(p holdgate.Place) (Member, bool) {
	c, data, ok := readCard(p.Value)
	if !ok || p.Kind != driver.KindPresence || p.Foreign {
		return Member{}, false
	}
	return Member{
		ID: c.ID, Data: data, Owner: p.Owner, Joined: p.Since.UTC(), // of two equal times one may have another zone
		Incarnation: c.Incarnation, Token: p.Token, PlaceID: p.ID,
	}, true
}
