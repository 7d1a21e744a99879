package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

func newBackup() *cobra.Command {
	var access accessFlags
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy what the running member has to a file",
		Long: `Copies what the member has that runs on this machine to a file, which is replaced in one step and
ends in a hash. Give it the flags that the member was started with, or its variables. The
file has all values and what is needed to guess passwords: only its owner can read it.`,
		Example: `  holdgated backup /backup/locks.$(date +%F)`,
		Args:    takes(1, "the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := access.options(cmd)
			if err != nil {
				return err
			}
			found, err := etcdembed.Backup(cmd.Context(), o, args[0])
			if err != nil {
				return asFlag(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d keys at revision %d, %d bytes\n", args[0], found.Keys, found.Revision, found.Size)
			return err
		},
	}
	access.register(cmd.Flags())
	return cmd
}

func newRestore() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a new store out of a backup",
		Long: `Makes the data of a member out of a backup, in a data directory without one. It is a cluster of one;
others --join it, with empty directories. Start no member that still has data of the old cluster.

Fencing tokens never go back: revisions go on at the time in microseconds, beyond all that the old
store gave. Start it when the longest TTL in use has passed since the old one stopped, so that
nobody believes in a lock that the backup does not know.`,
		Example: `  holdgated restore /backup/locks.2026-01-31 --data-dir /var/lib/holdgated`,
		Args:    takes(1, "the file to read"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fromEnvironment(cmd); err != nil {
				return err
			}
			target, err := dataDir(dir)
			if err != nil {
				return err
			}
			made, err := etcdembed.Restore(args[0], target)
			if err != nil {
				return asFlag(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d keys, revisions go on from %d\n", target, made.Keys, made.Revision)
			return err
		},
	}
	registerDataDir(cmd.Flags(), &dir)
	return cmd
}

// options are those of the member on this machine, as far as its clients know them.
func (f *accessFlags) options(cmd *cobra.Command) (etcdembed.Options, error) {
	var o etcdembed.Options
	if err := fromEnvironment(cmd); err != nil {
		return o, err
	}
	err := f.fill(&o)
	return o, err
}
