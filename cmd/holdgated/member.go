package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func newMember() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "member",
		Short: "Show the members of the cluster, or remove one",
		Args:  takes(0, "list or remove"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMemberList(), newMemberRemove())
	return cmd
}

func newMemberList() *cobra.Command {
	var access accessFlags
	cmd := &cobra.Command{
		Use:               "list",
		Short:             "Show the members",
		Long:              "Shows the members. It asks the one on this machine, which answers when most of them run.",
		Args:              takes(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return access.ask(cmd, func(ctx context.Context, client *clientv3.Client) error {
				return list(ctx, cmd, client)
			})
		},
	}
	access.register(cmd.Flags())
	return cmd
}

func newMemberRemove() *cobra.Command {
	var access accessFlags
	cmd := &cobra.Command{
		Use:   "remove ID",
		Short: "Remove a member, for good",
		Long: `Removes a member whose machine is gone, or is to go. Its data is of no use any more; a new member, also
one of the same address, joins with an empty directory.`,
		Args: takes(1, "the ID of a member, as list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseUint(args[0], 16, 64)
			if err != nil {
				return usage("an ID is up to 16 hexadecimal digits, not %q", args[0])
			}
			return access.ask(cmd, func(ctx context.Context, client *clientv3.Client) error {
				_, err := client.MemberRemove(ctx, id)
				return err
			})
		},
	}
	access.register(cmd.Flags())
	return cmd
}

// answerLimit is more than an election and a round through all members take.
const answerLimit = 15 * time.Second

// ask runs a request to the member on this machine.
func (f *accessFlags) ask(cmd *cobra.Command, request func(context.Context, *clientv3.Client) error) error {
	o, err := f.options(cmd)
	if err != nil {
		return err
	}
	c, err := o.ClientConfig()
	if err != nil {
		return asFlag(err)
	}
	client, err := clientv3.New(c)
	if err != nil {
		return unreached(c, err)
	}
	defer client.Close() //nolint:errcheck // nothing was left to send
	ctx, cancel := context.WithTimeout(cmd.Context(), answerLimit)
	defer cancel()
	if err := request(ctx, client); err != nil {
		return unreached(c, err)
	}
	return nil
}

func unreached(c clientv3.Config, err error) error {
	return fmt.Errorf("the member at %s: %w", strings.Join(c.Endpoints, " "), err)
}

func list(ctx context.Context, cmd *cobra.Command, client *clientv3.Client) error {
	known, err := client.MemberList(ctx)
	if err != nil {
		return err
	}
	status, err := client.Status(ctx, client.Endpoints()[0])
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tROLE\tPEERS\tCLIENTS")
	for _, m := range known.Members {
		fmt.Fprintf(w, "%x\t%s\t%s\t%s\t%s\n", m.ID, m.Name, role(m, status.Leader), strings.Join(m.PeerURLs, ","), strings.Join(m.ClientURLs, ","))
	}
	return w.Flush()
}

func role(m *etcdserverpb.Member, leader uint64) string {
	switch {
	case m.ID == leader:
		return "leader"
	case m.IsLearner:
		return "learner"
	case m.Name == "":
		return "not started"
	}
	return "follower"
}
