package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// process is a worker as the director sees it.
type process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	deeds *json.Decoder
}

// start starts a worker.
func start(name string, cmd *exec.Cmd) (*process, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = cmd.Start(); err != nil {
		return nil, err
	}
	return &process{name, cmd, stdin, json.NewDecoder(stdout)}, nil
}

// tell tells the worker what to do.
func (p *process) tell(order string) error {
	_, err := fmt.Fprintln(p.stdin, order)
	return err
}

// done returns what the worker did.
func (p *process) done() (deed, error) {
	var d deed
	if err := p.deeds.Decode(&d); err != nil {
		return d, fmt.Errorf("%s says nothing any more: %w", p.name, err)
	}
	return d, nil
}

// do is tell and done.
func (p *process) do(order string) (deed, error) {
	if err := p.tell(order); err != nil {
		return deed{}, err
	}
	return p.done()
}

// kill ends the worker as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it was killed: that is no news
}

// end lets the worker end by itself.
func (p *process) end(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })()
	_ = p.stdin.Close()
	_ = p.cmd.Wait()
}
