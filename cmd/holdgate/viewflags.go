package main

import "github.com/spf13/cobra"

// viewFlags are those of the commands that show something.
type viewFlags struct {
	storeFlag
	json bool
}

func (f *viewFlags) register(cmd *cobra.Command, json string) {
	f.storeFlag.register(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, json)
}

// jsonFields is what the help says of lines in JSON.
const jsonFields = `A line in JSON is {"name", "places": [...]}. A place is {"id", "position" (1 is the head), "state"
("holds" or "waits"), "owner", "session", "foreign", "kind", "units", "capacity", "ttl_seconds",
"token", "since", "reason", "value" (what a leader tells), "under" (the IDs of places that are not
given back before this one, told after a second of waiting), "eviction": {"reason", "by"},
"orphan": {"pid", "kept_by": [...]}}.
Tokens are decimal strings, times RFC 3339; what is unknown or does not apply is absent. "since"
is on the holder's own clock, and known once it has held for a second. An orphan is a place whose
process, pid, has ended while what it started keeps it; kept_by are those that can be seen.`
