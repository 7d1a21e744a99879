package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
)

// roleOf tells this program, started again, which of the roles it has.
const roleOf = "HOLDGATE_BENCH_ROLE"

// role is what another process of a benchmark does: it is given a task in JSON, and
// talks with the benchmark in lines of JSON.
type role func(task []byte, talk conversation) error

func roles() map[string]role {
	return map[string]role{
		"take turns":    takeTurns,
		"work":          work,
		"contend":       contend,
		"hold for ever": holdForEver,
	}
}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleOf); name != "" {
		if err := play(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(name string) error {
	act, ok := roles()[name]
	if !ok {
		return fmt.Errorf("%s: there is no such role", roleOf)
	}
	talk := newConversation(os.Stdin, os.Stdout)
	var task json.RawMessage
	if err := talk.hear(&task); err != nil {
		return err
	}
	return act(task, talk)
}

// conversation is what two processes say to each other.
type conversation struct {
	in  *json.Decoder
	out *json.Encoder
}

func newConversation(in io.Reader, out io.Writer) conversation {
	return conversation{json.NewDecoder(in), json.NewEncoder(out)}
}

func (c conversation) say(what any) error  { return c.out.Encode(what) }
func (c conversation) hear(what any) error { return c.in.Decode(what) }

// peer is another process, which ends with the benchmark.
type peer struct {
	cmd *exec.Cmd
	conversation
}

// startPeer starts another process in a role.
func startPeer(b *testing.B, name string, task any) *peer {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleOf+"="+name)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p := &peer{cmd, newConversation(out, in)}
	b.Cleanup(p.kill)
	if err := p.say(task); err != nil {
		b.Fatal(err)
	}
	return p
}

// kill ends the process by SIGKILL.
func (p *peer) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()
}
