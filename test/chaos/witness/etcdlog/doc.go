// Package etcdlog is the witness of etcd: it follows all changes below a prefix, as every
// member tells them, so that none is missed while one is away. Positions are revisions.
package etcdlog
