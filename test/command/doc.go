// Package command runs the command holdgate on real etcd servers: one member or three, which
// are killed, stopped and resumed, with TLS and with passwords.
package command
