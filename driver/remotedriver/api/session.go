package api

// NewSession asks for a session.
type NewSession struct {
	TTL   int64  `json:"ttl_ms" minimum:"1" doc:"How long the session lives without a renewal, in milliseconds."`
	Owner string `json:"owner,omitempty" maxLength:"256" doc:"Who it is, shown to people who ask who holds. It decides nothing."`
}

// Session is a session as its client has it.
type Session struct {
	Session string `json:"session" doc:"What to name the session by in requests. Whoever has it can use it: keep it to yourself."`
	ID      string `json:"id" doc:"The session's ID as lines show it to everybody."`
	TTL     int64  `json:"ttl_ms" doc:"How long the session lives without a renewal. Count from before the request was sent."`
	Owner   string `json:"owner,omitempty"`
}

// Presence is a session and all its places.
type Presence struct {
	ID     string  `json:"id"`
	TTL    int64   `json:"ttl_ms"`
	Places []Place `json:"places" nullable:"false"`
}

// Renewal is the answer to a renewal.
type Renewal struct {
	TTL       int64      `json:"ttl_ms"`
	Evictions []Eviction `json:"evictions" nullable:"false" doc:"The places of this session that somebody asks it to give up."`
}

// Eviction asks the holder of a place to give it up.
type Eviction struct {
	Line   string `json:"line" minLength:"1" maxLength:"512"`
	Place  string `json:"place" minLength:"1" maxLength:"512"`
	Reason string `json:"reason,omitempty" maxLength:"1024" doc:"Shown to the holder."`
	By     string `json:"by,omitempty" maxLength:"256" doc:"Who asks. With authentication the server puts the caller's name in front."`
	Force  bool   `json:"force,omitempty" doc:"Remove the place at once. Two may then believe that they hold."`
}
