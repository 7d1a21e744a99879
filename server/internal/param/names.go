package param

// OfSession names a session in the path.
type OfSession struct {
	Session string `path:"session" maxLength:"256" doc:"The session, as it was named when it was opened."`
}

// OfPlace names a place of a session in the path.
type OfPlace struct {
	OfSession
	Place string `path:"place" maxLength:"64" doc:"The ID of the place."`
}

// Named names a line.
type Named struct {
	Name string `query:"name" required:"true" minLength:"1" maxLength:"512" doc:"The name of the line."`
}

// Prefixed says which names or keys.
type Prefixed struct {
	Prefix string `query:"prefix" maxLength:"512" doc:"What the names begin with. Without it all are meant."`
}

// Queried says which lines.
type Queried struct {
	Name string `query:"name" maxLength:"512" doc:"The line of this name only."`
	Prefixed
}

// OfKey names a key of the map.
type OfKey struct {
	Key string `query:"key" required:"true" minLength:"1" maxLength:"512"`
}

// OfKeys says which keys of the map.
type OfKeys struct {
	Key string `query:"key" maxLength:"512" doc:"This key only."`
	Prefixed
}

// Ticketed names a session, and a place that was entered before.
type Ticketed struct {
	Session string `query:"session" required:"true" maxLength:"256" doc:"The session, as it was named when it was opened."`
	Ticket  string `query:"ticket" pattern:"^[0-9a-f]{32}$" doc:"The place that stands in line already."`
}
