package show

import (
	"maps"
	"slices"
	"time"

	"github.com/holdgate/holdgate/config"
)

// SettingChange is that a setting got another value, or went, in JSON too.
type SettingChange struct {
	Time time.Time `json:"time"` // when it was seen, here
	// Initial: it was so when the watch began.
	Initial bool `json:"initial,omitempty"`
	// Deleted: the key is there no more.
	Deleted bool `json:"deleted,omitempty"`
	Setting
	entry config.Entry
}

// String is the change as people read it, without the key.
func (c SettingChange) String() string { return Value(c.entry.Value) }

// SettingChanges finds out what changed from one snapshot to the next.
type SettingChanges struct {
	known map[string]uint64 // versions
	begun bool
}

// Next returns what changed: first what went, then what is new, in the order of the keys.
func (c *SettingChanges) Next(entries []config.Entry, now time.Time) []SettingChange {
	next := make(map[string]uint64, len(entries))
	var news []SettingChange
	for _, e := range entries {
		next[e.Key] = max(e.Version, c.known[e.Key])
		if e.Version > c.known[e.Key] { // versions grow, and what is older was told
			news = append(news, SettingChange{Time: now, Initial: !c.begun, Setting: NewSetting(e), entry: e})
		}
	}
	changes := append(c.gone(next, now), news...)
	c.known, c.begun = next, true
	return changes
}

// gone returns what is not there any more.
func (c *SettingChanges) gone(next map[string]uint64, now time.Time) []SettingChange {
	var changes []SettingChange
	for _, key := range slices.Sorted(maps.Keys(c.known)) {
		if _, there := next[key]; !there {
			changes = append(changes, SettingChange{Time: now, Deleted: true, Setting: Setting{Key: key}})
		}
	}
	return changes
}
