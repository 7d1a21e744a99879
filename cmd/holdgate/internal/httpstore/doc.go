// Package httpstore is the store behind a holdgated's HTTP API: URLs, and how its servers
// are.
package httpstore
