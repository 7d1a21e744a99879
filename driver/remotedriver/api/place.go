package api

import "encoding/json"

// Claim asks for a place in a line.
type Claim struct {
	Line     string          `json:"line" minLength:"1" maxLength:"512" doc:"The name of the line: UTF-8 of 1 to 512 bytes without NUL."`
	ID       string          `json:"id,omitempty" pattern:"^[0-9a-f]{32}$" doc:"The client's own name for the place, new for every attempt. Left out, it is made from Idempotency-Key, or by the server."`
	Kind     string          `json:"kind" pattern:"^[a-z]{1,16}$" example:"mutex" doc:"What the line is used for: mutex, rw, semaphore, election, presence, or a word of your own."`
	Capacity int64           `json:"capacity" minimum:"1" maximum:"1073741824"`
	Units    int64           `json:"units" minimum:"0" maximum:"1073741824" doc:"How much of the capacity the place takes; with 0 it is granted at once."`
	Data     json.RawMessage `json:"data,omitempty" doc:"A little JSON that is shown with the place: at most 4096 bytes."`
	Try      bool            `json:"try,omitempty" doc:"Join only if the place is granted at once."`
}

// Claims are several claims that are granted together or not at all.
type Claims struct {
	Claims []Claim `json:"claims" minItems:"1" maxItems:"60" nullable:"false"`
}

// Change writes new data and units for a place.
type Change struct {
	Line    string          `json:"line" minLength:"1" maxLength:"512"`
	Units   int64           `json:"units" minimum:"0" maximum:"1073741824" doc:"Units only go down."`
	Data    json.RawMessage `json:"data,omitempty"`
	Version string          `json:"version" pattern:"^[0-9]{1,20}$" doc:"The version of the place that was last read."`
}

// Place is one who holds or waits.
type Place struct {
	Line    string `json:"line"`
	ID      string `json:"id"`
	Session string `json:"session,omitempty" doc:"The ID of the session that it lives by."`
	Owner   string `json:"owner,omitempty"`
	TTL     int64  `json:"ttl_ms,omitempty"`

	Kind     string          `json:"kind,omitempty"`
	Capacity int64           `json:"capacity"`
	Units    int64           `json:"units"`
	Data     json.RawMessage `json:"data,omitempty"`

	Order    string    `json:"order" doc:"Grows along a line over its whole life, as a decimal string; \"0\" where the store gives none."`
	Version  string    `json:"version" doc:"Changes with every update of the place."`
	Token    string    `json:"token,omitempty" doc:"The fencing token of a place that is granted, as a decimal string. Resources refuse smaller ones than they have seen."`
	Granted  bool      `json:"granted" doc:"It holds. The others wait."`
	Eviction *Eviction `json:"eviction,omitempty" doc:"Somebody asked it to go."`
	Foreign  bool      `json:"foreign,omitempty" doc:"Other software made it under the same key."`
}

// Places are what several claims were granted.
type Places struct {
	Places []Place `json:"places" nullable:"false"`
}

// Line is a line at one moment.
type Line struct {
	Name   string  `json:"name"`
	Places []Place `json:"places" nullable:"false" doc:"In order: those that hold come first."`
}

// Lines are several lines.
type Lines struct {
	Lines []Line `json:"lines" nullable:"false"`
}

// Snapshot is what a watch and a stream of events tell.
type Snapshot struct {
	Lines []Line `json:"lines" nullable:"false" doc:"Each one whole. A line without places is one that nobody stands in any more."`
	Full  bool   `json:"full" doc:"There are no other lines that match."`
}
