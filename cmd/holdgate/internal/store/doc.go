// Package store finds the driver that a store's URL names.
//
// A URL may carry a user and a password, and so may variables of the environment: neither
// is ever shown, nor passed on to a command, nor is the certificate that lets in.
package store
