// Package etcdstore reaches an etcd cluster for the commands: it reads the store's URL, opens
// a driver on a client that leaves a member which does not answer, and says how each
// member is.
//
//	etcd://[user[:password]@]host[:port][,host[:port]...][/prefix][?verbatim=true&layout=single]
//	etcds://...[?ca=/file&cert=/file&key=/file&server-name=name]
//
// No error has the password in it. The text of a Config, which is shown and passed on to
// commands, has nothing that lets in: neither user nor password, nor where the client's
// certificate and its key are.
package etcdstore
