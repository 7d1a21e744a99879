package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/discovery"
)

// lookupFlags are those of lookup.
type lookupFlags struct {
	viewFlags
	watch bool
	wait  duration
}

func newLookup() *cobra.Command {
	f := &lookupFlags{}
	cmd := &cobra.Command{
		Use:   "lookup SERVICE",
		Short: "Find the instances of a service",
		Long: `Prints the addresses of the instances of SERVICE, one a line: those that holdgate register runs, and
programs that registered by the library's package discovery. That one is on the list does not mean
that it answers: try another one when it does not.

With --wait it waits until there is one. With --watch it prints all addresses on one line, and again
whenever they changed, until it is interrupted; the line is empty when there is none. While the
store cannot be reached the last line stands, which is said on standard error.

Exit codes:
  0   there are instances
  1   there are none
  64  the command line is wrong
  69  the store cannot be reached
  75  there were none within --wait

With --json it is one document, {"service", "instances": [...]}; with --watch such a document a
line, with "stale" while the store cannot be reached. An instance is {"id", "addr", "weight",
"metadata": {...}, "owner", "registered", "token"}; "registered" is on its own clock, and of two the
one with the larger token was registered later.`,
		Example: `  curl http://$(holdgate lookup orders --wait 30s | shuf -n 1)/health
  holdgate lookup orders --watch | while read -r addresses; do ./reload $addresses; done
  holdgate lookup orders --json | jq -r '.instances[] | select(.metadata.zone == "b").addr'`,
		Args:              takes(1, 1, "the name of a service", theService),
		ValidArgsFunction: completeService(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args[0]); err != nil {
				return err
			}
			return f.run(cmd.Context(), args[0])
		},
	}
	f.register(cmd, "one JSON document")
	flags := cmd.Flags()
	flags.BoolVarP(&f.watch, "watch", "w", false, "print the addresses whenever they changed")
	flags.Var(&f.wait, "wait", "wait for an instance for this long at most (default: not at all)")
	return cmd
}

func (f *lookupFlags) check(name string) error {
	if err := checkService(name); err != nil {
		return err
	}
	if f.wait.set && f.watch {
		return usage("--wait and --watch exclude each other")
	}
	return f.wait.between("--wait", 0, holdgate.MaxTTL)
}

// checkService refuses what no service is named.
func checkService(name string) error {
	if len(name) > discovery.MaxService {
		return usage("the name of a service has 1 to %d bytes, this one has %d", discovery.MaxService, len(name))
	}
	return checkName(name)
}

func (f *lookupFlags) run(ctx context.Context, name string) (err error) {
	c, _, err := f.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	instances, err := ask(ctx, func(ctx context.Context) ([]discovery.Instance, error) { return discovery.Lookup(ctx, c.Client, name) })
	switch {
	case err != nil:
		return err
	case f.watch:
		return f.follow(ctx, c, name)
	case len(instances) == 0 && f.wait.set:
		if instances, err = f.await(ctx, c, name); err != nil {
			return err
		}
	}
	return f.list(name, instances)
}

// await waits until there is an instance.
func (f *lookupFlags) await(ctx context.Context, c *connection, name string) ([]discovery.Instance, error) {
	late := fmt.Errorf("%w: %q has had no instance for %v", errTimedOut, name, f.wait.d)
	ctx, stop := context.WithTimeoutCause(ctx, f.wait.d, late)
	defer stop()
	for s, err := range discovery.Watch(ctx, c.Client, name) {
		switch {
		case context.Cause(ctx) != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return nil, err
		case len(s.Instances) > 0:
			return s.Instances, nil
		}
	}
	return nil, late
}

// serviceView is a service in JSON.
type serviceView struct {
	Service   string               `json:"service"`
	Instances []discovery.Instance `json:"instances"`
	Stale     bool                 `json:"stale,omitempty"`
}

func (f *lookupFlags) list(name string, instances []discovery.Instance) error {
	switch {
	case f.json:
		err := show.Document(os.Stdout, serviceView{Service: name, Instances: instances})
		if err == nil && len(instances) == 0 {
			err = silently(exitFailed)
		}
		return err
	case len(instances) == 0:
		return failed("%q has no instance", name)
	}
	return printRows(addresses(instances))
}

// addresses are where the instances are reached.
func addresses(instances []discovery.Instance) []string {
	var all []string
	for _, a := range discovery.Addresses(instances) {
		all = append(all, show.Text(a.Addr))
	}
	return all
}

// follow prints the addresses whenever they changed.
func (f *lookupFlags) follow(ctx context.Context, c *connection, name string) error {
	said := "\n" // no line is that
	for s, err := range discovery.Watch(ctx, c.Client, name) {
		line := strings.Join(addresses(s.Instances), " ")
		switch {
		case err != nil:
			return err
		case f.json:
			err = show.Record(os.Stdout, serviceView{name, s.Instances, s.Stale})
		case s.Stale:
			fmt.Fprintln(os.Stderr, "holdgate: the store cannot be reached; trying again")
		case line != said: // else something changed that is not shown
			said = line
			_, err = fmt.Println(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// completeService offers the names of services.
func completeService(f *storeFlag) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		ctx, stop := context.WithTimeout(cmd.Context(), completeTime)
		defer stop()
		c, _, err := f.look(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer func() { _ = c.Close(ctx) }() // it only looked
		services, _ := discovery.Services(ctx, c.Client, begun)
		var names []cobra.Completion
		for _, s := range services {
			if !strings.ContainsAny(s.Name, "\t\n") { // the shells could not take it apart again
				names = append(names, cobra.CompletionWithDesc(s.Name, fmt.Sprintf("%d instances", len(s.Instances))))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
