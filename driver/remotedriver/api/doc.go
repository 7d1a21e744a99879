// Package api is the JSON of the HTTP API: what the server, and remotedriver on the other
// side, agree on. The server makes its OpenAPI document from these types, so the tags beside
// the json ones are that document's.
//
// Numbers that may exceed 2^53 (tokens, orders, versions) are decimal strings, since much
// software reads JSON numbers as floating point. Times to live are whole milliseconds: what
// is asked for is rounded up, what was granted is rounded down.
//
// Names of lines stand in the query or the body, never in the path: they may hold slashes
// and dots, which proxies tidy up in paths.
package api
