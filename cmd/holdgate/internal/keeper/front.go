package keeper

import (
	"encoding/json"
	"io"
	"os/exec"
)

// Keeper is the front's end: a keeper that was started.
type Keeper struct {
	in      io.WriteCloser
	reports chan Report
}

// Start starts this very program as a keeper, with these arguments and environment. It
// inherits nothing: no stream, no file, no terminal, no directory.
func Start(program string, args, env []string) (*Keeper, error) {
	cmd := &exec.Cmd{Path: program, Args: append([]string{"holdgate"}, args...), Env: env, Dir: "/"}
	if err := apart(cmd); err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = cmd.Start(); err != nil {
		return nil, err
	}
	k := &Keeper{in: in, reports: make(chan Report)}
	go k.read(out) // ends when the keeper does, or lets go
	return k, nil
}

func (k *Keeper) read(out io.Reader) {
	defer close(k.reports)
	for d := json.NewDecoder(out); ; {
		var r Report
		if d.Decode(&r) != nil {
			return
		}
		k.reports <- r
	}
}

// Reports are what the keeper tells. It is closed when the keeper has ended or was
// acknowledged.
func (k *Keeper) Reports() <-chan Report { return k.reports }

// Acknowledge lets the keeper go on alone.
func (k *Keeper) Acknowledge() error {
	_, err := io.WriteString(k.in, ack)
	return err
}

// Abandon makes the keeper give up what it has or waits for, and returns when it has
// ended.
func (k *Keeper) Abandon() {
	_ = k.in.Close()
	for range k.reports {
	}
}
