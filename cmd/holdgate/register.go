package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/discovery"
)

// registerFlags are those of register.
type registerFlags struct {
	presentFlags
	addr   string
	weight int
	meta   metadata
}

// theService is what the commands about services cannot do without.
const theService = "the name of the service"

func newRegister() *cobra.Command {
	f := &registerFlags{weight: 1}
	cmd := &cobra.Command{
		Use:   "register SERVICE --addr HOST:PORT [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command as an instance of a service",
		Long: `Runs a command, and lets all others find it: holdgate lookup SERVICE prints its address, and so does
the library's package discovery. It is there before the command begins, and until the command and
all of its group have ended; then it exits with what the command exited with.

` + presentHelp + `

In the command's environment is HOLDGATE_ID, the ID of the instance.

` + presentCodes,
		Example: `  holdgate register orders --addr 10.0.0.7:9000 -- ./orders --listen :9000
  holdgate register orders --addr 10.0.0.7:9000 --meta zone=b --meta version=1.4 -- ./orders`,
		Args:              commandArgs(theService, "SERVICE"),
		ValidArgsFunction: completeService(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command, err := oneBeforeDash(cmd, args)
			if err != nil {
				return err
			}
			if err = f.check(name); err != nil {
				return err
			}
			return f.instance(cmd.Context(), name, command)
		},
	}
	f.register(cmd, "which instance it is (default: the address); one that is there already is replaced")
	flags := cmd.Flags()
	flags.Var(text{&f.addr, "HOST:PORT"}, "addr", "where it is reached (required)")
	flags.Var(number{&f.weight, "N", "a weight is a whole number"}, "weight", "how much it takes beside the others")
	flags.Var(&f.meta, "meta", "what else callers should know of it; may be repeated")
	return cmd
}

func (f *registerFlags) check(name string) error {
	if err := checkService(name); err != nil {
		return err
	}
	if err := f.presentFlags.check(name); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(f.addr)
	switch {
	case f.addr == "":
		return usage("--addr is missing: where others reach it, HOST:PORT")
	case err != nil || host == "" || port == "":
		return usage("--addr is HOST:PORT, not %q", f.addr)
	case f.weight < 1 || f.weight > discovery.MaxWeight:
		return usage("--weight is 1 to %d, not %d", discovery.MaxWeight, f.weight)
	}
	f.id = cmp.Or(f.id, f.addr)
	return f.checkID()
}

// shown is the instance that others see.
func (f *registerFlags) shown() discovery.Instance {
	return discovery.Instance{ID: f.id, Addr: f.addr, Weight: f.weight, Metadata: f.meta}
}

// instance runs the command as an instance of the service.
func (f *registerFlags) instance(ctx context.Context, name string, command []string) error {
	p := f.present(name)
	p.enter = func(ctx context.Context, c *holdgate.Client) (standing, error) {
		r, err := discovery.Register(ctx, c, name, f.shown())
		if err != nil {
			return nil, err
		}
		p.leave = r.Close
		return r, nil
	}
	return p.teller.failed(name, p.run(ctx, command))
}

// metadata is the value of --meta, which may be repeated.
type metadata map[string]string

var errMetadata = errors.New("metadata is written KEY=VALUE, each key once")

func (m *metadata) String() string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(*m)) {
		all = append(all, key+"="+(*m)[key])
	}
	return strings.Join(all, ",")
}

func (m *metadata) Type() string { return "KEY=VALUE" }

func (m *metadata) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if _, twice := (*m)[key]; !ok || key == "" || twice {
		return errMetadata
	}
	if *m == nil {
		*m = make(metadata)
	}
	(*m)[key] = value
	return nil
}
