// Package redisstore reaches Redis for the commands: it reads the store's URL, opens a driver,
// and says how each server is.
//
//	redis://[[user]:password@]host[:port][/database][?prefix=name&layout=single]
//	redis+sentinel://...host[:port][,host[:port]...]/primary[/database][?sentinel-user=name]
//	redis+cluster://...host[:port][,host[:port]...]
//	rediss://, rediss+sentinel://, rediss+cluster:// ...[?ca=/file&cert=/file&key=/file&server-name=name]
//
// No error has the password in it. The text of a Config, which is shown and passed on to
// commands, has nothing that lets in.
package redisstore
