package etcdlog

import (
	"encoding/json"
	"strings"
)

// A place is a key <prefix>/<name>/<lease> or <prefix>/<name>/<lease>:<n> whose value is
// "<kind>/<capacity>/<units> <ID> <JSON>". A session is a key <prefix>/%sessions/<lease>.
// Names in a chaos run are plain letters, so that nothing is escaped.

const sessions = "%sessions"

// placeKey takes the key of a place apart.
func placeKey(prefix, key string) (name, lease string, ok bool) {
	rest, ok := strings.CutPrefix(key, prefix+"/")
	name, spot, ok2 := strings.Cut(rest, "/")
	if !ok || !ok2 || strings.HasPrefix(name, "%") || strings.ContainsAny(spot, "./") {
		return "", "", false
	}
	lease, _, _ = strings.Cut(spot, ":")
	return name, lease, true
}

// sessionKey is the lease of a session's key.
func sessionKey(prefix, key string) (lease string, ok bool) {
	lease, ok = strings.CutPrefix(key, prefix+"/"+sessions+"/")
	return lease, ok && !strings.Contains(lease, "/")
}

// place is what the value of a place says of it.
func place(value string) (id, owner string) {
	_, rest, _ := strings.Cut(value, " ")
	id, details, _ := strings.Cut(rest, " ")
	var d struct{ Owner string }
	_ = json.Unmarshal([]byte(details), &d) // what is no place of ours has no owner
	return id, d.Owner
}
