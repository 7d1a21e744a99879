package api

import "github.com/holdgate/holdgate/driver"

// EntryOf is an entry as the API has it.
func EntryOf(e driver.Entry) Entry {
	value := e.Value
	if value == nil {
		value = []byte{}
	}
	return Entry{Key: e.Key, Value: value, Version: text(e.Version)}
}

// Driver is the entry as a driver has it.
func (e Entry) Driver() (driver.Entry, error) {
	version, err := Number(e.Version)
	return driver.Entry{Key: e.Key, Value: e.Value, Version: version}, err
}

// EntriesOf is a snapshot of the map as the API has it.
func EntriesOf(s driver.KVSnapshot) Entries {
	all := Entries{Entries: make([]Entry, len(s.Entries)), Deleted: s.Deleted, Full: s.Full}
	for i, e := range s.Entries {
		all.Entries[i] = EntryOf(e)
	}
	return all
}

// Driver is the snapshot as a driver has it.
func (s Entries) Driver() (driver.KVSnapshot, error) {
	snap := driver.KVSnapshot{Entries: make([]driver.Entry, len(s.Entries)), Deleted: s.Deleted, Full: s.Full}
	for i, e := range s.Entries {
		entry, err := e.Driver()
		if err != nil {
			return driver.KVSnapshot{}, err
		}
		snap.Entries[i] = entry
	}
	return snap, nil
}

// NewEntryOf is a put as the API has it.
func NewEntryOf(p driver.Put) NewEntry {
	e := NewEntry{Key: p.Key, Value: p.Value, TTL: Up(p.TTL)}
	if p.IfVersion != nil {
		version := text(*p.IfVersion)
		e.IfVersion = &version
	}
	return e
}

// Driver is the put as a driver takes it.
func (e NewEntry) Driver() (driver.Put, error) {
	p := driver.Put{Key: e.Key, Value: e.Value, TTL: Duration(e.TTL)}
	if e.IfVersion != nil {
		version, err := Number(*e.IfVersion)
		if err != nil {
			return driver.Put{}, err
		}
		p.IfVersion = &version
	}
	return p, nil
}

// FeaturesOf are features as the API has them. What a server cannot pass on, it does not
// tell.
func FeaturesOf(f driver.Features) Features {
	return Features{
		Store: f.Store, Safety: f.Safety.String(), Layout: string(f.Layout),
		MinTTL: Up(f.MinTTL), MaxTTL: Down(f.MaxTTL), ExpirySlack: Up(f.ExpirySlack), RenewLag: Up(f.RenewLag),
		Tokens: f.Tokens, Fair: f.Fair, Shared: f.Shared, TryMayFailSpuriously: f.TryMayFailSpuriously,
		Map: f.KV, TryAll: f.TryAll, Attach: f.Attach,
	}
}

// Driver are the features of a driver that goes through the server. Sessions are not
// attached to by their ID there, but by what only their clients have.
func (f Features) Driver() driver.Features {
	features := driver.Features{
		Store: f.Store, Layout: driver.Layout(f.Layout),
		MinTTL: Duration(f.MinTTL), MaxTTL: Duration(f.MaxTTL),
		ExpirySlack: Duration(f.ExpirySlack), RenewLag: Duration(f.RenewLag),
		Tokens: f.Tokens, Fair: f.Fair, Shared: f.Shared, TryMayFailSpuriously: f.TryMayFailSpuriously,
		KV: f.Map, TryAll: f.TryAll,
	}
	for _, s := range []driver.Safety{driver.SafetyBestEffort, driver.SafetySingleMachine, driver.SafetyLinearizable} {
		if s.String() == f.Safety {
			features.Safety = s
		}
	}
	return features
}
