// Package shipping is a worker that ships orders, each under a lock of its own, and a
// database that refuses a worker whose lock went to another.
package shipping
