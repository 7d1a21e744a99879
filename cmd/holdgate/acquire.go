package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/keeper"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
)

// acquireFlags are those of acquire, and of the keeper that it starts.
type acquireFlags struct {
	lockFlags
	forPID int
}

func (f *acquireFlags) register(cmd *cobra.Command) {
	f.lockFlags.register(cmd)
	cmd.Flags().Var(number{&f.forPID, "PID", "it is the number of a process"}, "for-pid", "keep it while this process lives (default: the calling one)")
}

func newAcquire() *cobra.Command {
	f := &acquireFlags{}
	cmd := &cobra.Command{
		Use:   "acquire NAME",
		Short: "Take a lock for a shell script",
		Long: `Waits for the lock NAME and prints a handle, for holdgate release. A process in the background
keeps the lock until it is released, or the process ends that it is kept for.

That is the one with the number --for-pid: say $$, the shell. Without it, it is the calling
process. On Linux a part of a shell, such as $(...), (...) or one of a pipeline, counts as the
shell; on other systems it is the part, and the lock goes with it. What only runs this command and
ends with it (timeout, sudo, go run) is refused where it is known.

Nobody tells the script when the lock is lost; holdgate release does, by exit code 79, also when the
process has ended that it was kept for. Where that is too late, use holdgate run.

` + acquireCodes + `

With --json it prints {"handle", "name", "token", "owner"}, the token as a decimal string.`,
		Example: `  lock=$(holdgate acquire deploy --for-pid $$ --wait 1m) || exit
  ./deploy.sh
  holdgate release "$lock"`,
		Args:              takes(1, 1, "the name of a lock", theName),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.acquire(cmd, args[0]) },
	}
	f.register(cmd)
	return cmd
}

const acquireCodes = `Exit codes:
  0    it is held, and the handle was printed
  64   the command line is wrong, or it would wait for itself: nothing was started
  69   the store cannot be reached
  75   busy, not acquired within --wait, or removed from the line by evict (-E changes this one)
  130  interrupted while waiting (143: terminated)`

// acquire takes the lock for another process.
func (f *acquireFlags) acquire(cmd *cobra.Command, name string) error {
	if err := f.check(name); err != nil {
		return err
	}
	s, err := f.parse()
	if err != nil {
		return err
	}
	named := cmd.Flags().Changed("for-pid")
	if !named {
		f.forPID = keeper.Caller()
		if err = checkCaller(f.forPID); err != nil {
			return err
		}
	}
	if f.forPID < 1 {
		return usage("--for-pid is the number of a process, not %d", f.forPID)
	}
	t := newTeller(&f.sessionFlags)
	return t.failed(name, f.front(cmd.Flags(), t, s, name, !named))
}

// checkCaller refuses a process that would take the lock along as soon as it is acquired.
func checkCaller(pid int) error {
	name := keeper.Name(pid)
	if !slices.Contains([]string{"timeout", "sudo", "su", "runuser", "go", "time", "flock", "strace"}, name) {
		return nil
	}
	return usage("the calling process, %d (%s), ends as soon as the lock is acquired, and the lock would with it: say --for-pid $$", pid, name)
}

// front starts a keeper, and relays what it reports. calling tells that the lock is for the calling
// process.
func (f *acquireFlags) front(flags *pflag.FlagSet, t *teller, s store.Store, name string, calling bool) error {
	signals := make(chan os.Signal, 16)
	child.Catch(signals, child.Interrupts()...)
	if s.Default {
		t.notice(defaultNotice(s))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	k, err := keeper.Start(program, f.keepArgs(flags, name), f.keepEnv())
	if err != nil {
		return err
	}
	held, err := relay(k, t, signals, func() bool { return !calling || keeper.Caller() == f.forPID })
	t.done()
	if err != nil {
		return err
	}
	if err = f.print(name, held); err != nil {
		k.Abandon()
		return err
	}
	return k.Acknowledge()
}

// keepArgs are the arguments of the keeper: ours.
func (f *acquireFlags) keepArgs(flags *pflag.FlagSet, name string) []string {
	args := []string{keepName, "--for-pid=" + strconv.Itoa(f.forPID)}
	flags.Visit(func(flag *pflag.Flag) {
		if flag.Name != "for-pid" && flag.Name != "store" {
			args = append(args, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	return append(args, "--", name)
}

// keepEnv is the environment of the keeper. The store's URL, which may have a password in
// it, is passed there and not where everybody sees it.
func (f *acquireFlags) keepEnv() []string {
	env := os.Environ()
	if f.url != "" {
		env = append(env, store.Variable+"="+f.url)
	}
	return env
}

// relay tells what the keeper reports until the lock is held. When it returns an error, no
// keeper is left. The keeper watches the process that has a number, and we see to it that it is
// the right one: if it is now, it was when the watch began.
func relay(k *keeper.Keeper, t *teller, signals <-chan os.Signal, right func() bool) (*keeper.Held, error) {
	for {
		select {
		case s := <-signals:
			k.Abandon()
			return nil, &interrupted{s}
		case r, more := <-k.Reports():
			switch {
			case !more:
				return nil, failed("the process in the background ended without a word")
			case r.Watching && !right():
				k.Abandon()
				return nil, failed("the calling process has ended")
			case r.Waiting != nil:
				t.waiting(*r.Waiting)
			case r.Held != nil:
				return r.Held, nil
			case r.Failed != nil:
				return nil, outcome(*r.Failed)
			}
		}
	}
}

// outcome is the error for what a keeper said.
func outcome(o keeper.Outcome) error {
	switch {
	case o.Code == 0:
		return nil
	case o.Message == "":
		return silently(o.Code)
	}
	return &exitError{code: o.Code, err: errors.New(o.Message)}
}

// print prints the handle.
func (f *acquireFlags) print(name string, held *keeper.Held) error {
	if !f.json {
		_, err := fmt.Println(held.Handle)
		return err
	}
	return show.Record(os.Stdout, struct {
		Handle string         `json:"handle"`
		Name   string         `json:"name"`
		Token  holdgate.Token `json:"token"`
		Owner  string         `json:"owner"`
	}{held.Handle, name, held.Token, f.ownerText(f.forPID)})
}
