package param

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Keyed is a request that may be repeated under a key.
type Keyed struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"256" doc:"Makes a repeated request the same one: the ID of the place is made from it, the session and the line."`
}

// PlaceID is the ID of a new place: the same one for the same key.
func (k Keyed) PlaceID(session, line string) string {
	if k.IdempotencyKey == "" {
		return NewID()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%s/%s/%s", len(session), len(line), session, line, k.IdempotencyKey))
	return hex.EncodeToString(sum[:16])
}

// NewID is the ID of a place that nobody has named.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return hex.EncodeToString(b[:])
}
