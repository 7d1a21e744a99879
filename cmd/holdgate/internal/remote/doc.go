// Package remote reads what URLs of stores on other machines have in common: hosts, options,
// and the files of TLS.
//
// No error repeats what may be a part of a password.
package remote
