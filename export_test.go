package holdgate

// NewSeeded is New with a source of randomness that a test can repeat.
var NewSeeded = newClient
