// Package zkstore reaches ZooKeeper for the commands: it reads the store's URL, opens a
// driver, and says how each server is.
//
//	zk://[user[:password]@]host[:port][,host[:port]...][/prefix][?tick=2s&layout=single&verbatim=true]
//	zks://...[?ca=/file&cert=/file&key=/file&server-name=name]
//
// No error has the password in it. The text of a Config, which is shown and passed on to
// commands, has nothing that lets in.
package zkstore
