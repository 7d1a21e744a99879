// Package redislog is the witness of Redis: it reads the append-only file when all is over.
// Positions are transactions, by their number in that file.
//
// A server writes what it did to the file before it answers anybody, so that whatever
// somebody knows of is in there, also when the server is killed.
package redislog
