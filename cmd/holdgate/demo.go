package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/demo"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
)

const (
	demoLock       = "demo"
	demoWorkerName = "demo-worker"
	// demoPause is how long people have to read each event. Programs need none.
	demoPause = 900 * time.Millisecond
)

func newDemo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it work: three processes, one lock, one kill -9",
		Long: `Starts three worker processes that want one lock, in a directory of its own that is removed
afterwards. One of them is killed while it holds the lock. A write of the dead one arrives late,
and the resource refuses it: it has seen a larger fencing token. It takes ten seconds on a terminal.

With --json each event is a document on a line of its own: {"at_seconds", "worker", "pid", "event"
("waits", "holds", "accepted", "delayed", "killed", "refused", "releases"), "ahead", "token",
"value", "after_seconds", "seen"}.`,
		Example: `  holdgate demo
  holdgate demo --json`,
		Args:              takes(0, 0, "no arguments", ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return playDemo(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON document a line")
	return cmd
}

func newDemoWorker() *cobra.Command {
	f := &storeFlag{}
	cmd := &cobra.Command{
		Use:    demoWorkerName + " WORKER",
		Short:  "A worker of the demo (started by demo)",
		Hidden: true,
		Args:   takes(1, 1, "the name of a worker", ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			c, _, err := f.look(ctx)
			if err != nil {
				return err
			}
			return errors.Join(demo.Work(ctx, c.Mutex(demoLock), args[0], os.Stdin, os.Stdout), c.Close(ctx))
		},
	}
	f.register(cmd)
	return cmd
}

func playDemo(ctx context.Context, asJSON bool) (err error) {
	signals := make(chan os.Signal, 1)
	child.Catch(signals, child.Interrupts()...)
	ctx, stop := interruptible(ctx, signals)
	dir, err := os.MkdirTemp("", "holdgate-demo-")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, os.RemoveAll(dir))
		if signal := stop(); signal != nil {
			err = signal
		}
	}()
	f := storeFlag{url: "file://" + filepath.ToSlash(dir)}
	c, s, err := f.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	stage := newStage(asJSON)
	stage.open(s.String())
	err = demo.Play{
		Lock: demoLock, Client: c.Client, Show: stage.show, Pause: stage.pause,
		Worker: func(name string) *exec.Cmd {
			return &exec.Cmd{
				Path: program, Args: []string{"holdgate", demoWorkerName, name},
				Env: append(os.Environ(), store.Variable+"="+f.url), Stderr: os.Stderr,
			}
		},
	}.Run(ctx)
	if err == nil {
		stage.close()
	}
	return err
}

// stage is where the audience sees the demo.
type stage struct {
	out   io.Writer
	json  bool
	style show.Style
	slow  bool
}

func newStage(asJSON bool) *stage {
	return &stage{
		out: os.Stdout, json: asJSON, style: show.NewStyle(os.Stdout),
		slow: !asJSON && term.IsTerminal(int(os.Stdout.Fd())),
	}
}

func (s *stage) pause(ctx context.Context) {
	if !s.slow {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(demoPause):
	}
}

func (s *stage) open(store string) {
	if !s.json {
		fmt.Fprintf(s.out, "Three worker processes, one lock. The store is a directory: %s\n\n", show.Text(store))
	}
}

func (s *stage) show(e demo.Event) {
	if s.json {
		_ = show.Record(s.out, e) // who does not listen misses it
		return
	}
	fmt.Fprintf(s.out, "%s  %s  %s\n", s.style.Faint(fmt.Sprintf("%6.2fs", e.At)), s.style.Strong(e.Worker), s.tell(e))
}

// tell is an event in words.
func (s *stage) tell(e demo.Event) string {
	switch e.Kind {
	case demo.Waits:
		return fmt.Sprintf("waits, %s in line", show.Ordinal(e.Ahead))
	case demo.Holds:
		text := s.style.Good("has the lock")
		if e.After > 0 {
			text += fmt.Sprintf(", %.1f ms later", e.After*1e3)
		}
		return text + fmt.Sprintf("   token %v", e.Token)
	case demo.Accepted:
		return fmt.Sprintf("writes %q with its token   %s", e.Value, s.style.Good("accepted"))
	case demo.Delayed:
		return "sends another write, and the network is slow"
	case demo.Killed:
		return s.style.Bad(fmt.Sprintf("is killed: kill -9 %d", e.PID))
	case demo.Refused:
		return fmt.Sprintf("is dead, but its write arrives, with token %v\n%s%s", e.Token, strings.Repeat(" ", 14),
			s.style.Bad(fmt.Sprintf("refused: the resource has seen %v", e.Seen)))
	case demo.Releases:
		return "releases the lock"
	}
	return string(e.Kind)
}

func (s *stage) close() {
	if s.json {
		return
	}
	fmt.Fprint(s.out, `
Nobody polled, and nobody waited for a timeout: the next in line was told. Each holder had a larger
token than the one before, so the resource knew whose time was over.

Try next, in two terminals:  holdgate run hello -- sleep 10
`)
}
