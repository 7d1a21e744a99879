package api

// Entry is a key of the store's map with its value.
type Entry struct {
	Key     string `json:"key"`
	Value   []byte `json:"value" nullable:"false" doc:"Base64."`
	Version string `json:"version" doc:"Grows with every change of the key, as a decimal string; never \"0\"."`
}

// NewEntry writes a key.
type NewEntry struct {
	Key   string `json:"key" minLength:"1" maxLength:"512"`
	Value []byte `json:"value,omitempty" doc:"Base64 of at most 262144 bytes."`
	// IfVersion is not set when the version does not matter.
	IfVersion *string `json:"if_version,omitempty" pattern:"^[0-9]{1,20}$" doc:"Write only if the key has this version, \"0\" for not there."`
	TTL       int64   `json:"ttl_ms,omitempty" minimum:"0" doc:"Remove the key that long after this, in the store's time."`
}

// Entries is what a watch of the map tells.
type Entries struct {
	Entries []Entry  `json:"entries" nullable:"false" doc:"Sorted by key."`
	Deleted []string `json:"deleted,omitempty" doc:"Keys that are gone."`
	Full    bool     `json:"full" doc:"There are no other keys that match."`
}
