package main

import "github.com/spf13/cobra"

// newHelpStore is a topic of the help: holdgate help store.
func newHelpStore() *cobra.Command {
	return &cobra.Command{
		Use:   "store",
		Short: "Which stores there are: URLs, TLS, users and passwords",
		Long: `A store is where the locks are. It is named by --store or, for all commands, by $HOLDGATE_STORE.
One that is empty counts as not set; an empty --store is refused.

Files, for the processes of one machine:

  file:///var/lock/holdgate        a directory; ?mode=shared for several users
  (none)                           a directory of this user: $XDG_STATE_HOME/holdgate/locks, or
                                   ~/.local/state/holdgate/locks; cron may have another than a shell

etcd, for any number of machines; a server of one's own is holdgated:

  etcd://host[:port][,host[:port]...][/prefix]
  etcds://...                      the same with TLS

The port is 2379 unless it is given. Name all members: one that is down, hangs or is cut off is left
within seconds, and taken back when it is well. The prefix is where the locks are in etcd, /holdgate
unless it is given; programs that are to exclude each other use the same.

  layout=single      the lock "orders" is the one key PREFIXorders, in no order; see below

ZooKeeper 3.5 or newer:

  zk://host[:port][,host[:port]...][/prefix]
  zks://...                        the same with TLS: give the port

  tick=2s            the servers' tickTime, where it is another
  layout=single      the lock "orders" is the one ephemeral node PREFIX/orders, in no order; see
                     below

The prefix is the path of a node, /holdgate unless it is given; with a chroot put that before it.

Redis 7 or newer. It is fast, and best effort: a failover, a restart or a clock that is set forward
may let two in, and only the fencing token tells them apart:

  redis://host[:port][/database]
  redis+sentinel://host[:port][,host[:port]...]/name-of-the-primary[/database]
  redis+cluster://host[:port][,host[:port]...]
  rediss://, rediss+sentinel://, rediss+cluster://    the same with TLS

  prefix=name        what all keys begin with, holdgate without one
  layout=single      the lock "orders" is the one key "orders", in no order and without a token
  sentinel-user=name    whom the sentinels let in, where they have users

A server over any of these, for machines that do not reach the store itself:

  http://host[:port][,host[:port]...][/path]
  https://...                      the same with TLS

It is "holdgated --http". Name all servers: one that is down is left. What lets in is a token,
in the environment; it is not sent in the clear to other machines.

Options are added as ?name=value&name=value. Files are named by absolute paths.

  ca=FILE            the authority of the servers' certificates; else those of the system
  cert=FILE          the certificate that is shown to the servers,
  key=FILE           and its private key
  server-name=NAME   what is in the servers' certificates; else each one's host in the URL
  verbatim=true      etcd and ZooKeeper: names are used as they are, behind the prefix, which is
                     then empty unless it is given: with etcd://host?verbatim=true the lock
                     /locks/orders is that of "etcdctl lock /locks/orders"
  layout=single      a lock is one key that is there or not, as much software has it: for mutexes
                     and nothing else. docs/living-with-others.md says what speaks which

A user and a password can be in the URL (etcd://user:password@host; in a password / is %2F, ? is
%3F, # is %23, @ is %40). The password is better in the environment:

  HOLDGATE_STORE_PASSWORD          for a user that the URL names
  HOLDGATE_STORE_SENTINEL_PASSWORD what the sentinels want, where they want one
  HOLDGATE_STORE_TOKEN             for http and https
  HOLDGATE_STORE_CA, _CERT, _KEY, _SERVER_NAME    for options that the URL does not have

No password is ever shown or written, and a command that runs under a lock gets none: its
$HOLDGATE_STORE has neither user nor password, certificate nor key. What stands on a command line
can be seen by all users of a machine until the program has begun to run; on Linux it is then
overwritten.`,
	}
}
