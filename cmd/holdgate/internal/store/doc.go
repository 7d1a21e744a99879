// Package store finds the driver that a store's URL names.
//
// A URL may carry a user and a password, and so may the variable
// HOLDGATE_STORE_PASSWORD: neither is ever shown, nor passed on to a command.
package store
