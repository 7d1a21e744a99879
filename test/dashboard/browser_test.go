package dashboard_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long a test waits for what must come: far beyond what it takes.
const patience = time.Minute

// browser is a Chromium that several tests share; each has pages of its own in it.
type browser struct {
	in    io.WriteCloser
	pages atomic.Int64 // that were opened

	mu      sync.Mutex
	seq     int
	waiting map[int]chan<- answer
	err     error // why there will be no more answers
}

type answer struct {
	Seq   int             `json:"seq"`
	Value json.RawMessage `json:"value"`
	Error string          `json:"error"`
}

// startBrowser starts one, which ends with the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	chromium, node := need(t, "chromium"), need(t, "node")
	packages := nodePackages(t)
	cmd := exec.Command(node, filepath.Join("testdata", "browser.mjs"))
	home := t.TempDir() // what it keeps, it keeps there
	cmd.Env = append(os.Environ(), "PACKAGES="+packages, "CHROMIUM="+chromium, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "TMPDIR="+home)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := &browser{in: in, waiting: make(map[int]chan<- answer)}
	var reading sync.WaitGroup
	reading.Go(func() { b.read(out) }) // ends with the process
	t.Cleanup(func() {
		_ = in.Close()
		stuck := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer stuck.Stop()
		reading.Wait()
		_ = cmd.Wait()
	})
	return b
}

func (b *browser) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			b.end(fmt.Errorf("the browser said %q: %w", lines.Text(), err))
			return
		}
		b.mu.Lock()
		to := b.waiting[a.Seq]
		delete(b.waiting, a.Seq)
		b.mu.Unlock()
		to <- a
	}
	b.end(fmt.Errorf("the browser ended: %w", io.ErrUnexpectedEOF))
}

func (b *browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
	for seq, to := range b.waiting {
		to <- answer{Seq: seq, Error: err.Error()}
	}
	clear(b.waiting)
}

// ask has the browser do something. The answer comes: each thing that it waits for is bounded.
func (b *browser) ask(what string, args map[string]any, value any) error {
	to := make(chan answer, 1)
	b.mu.Lock()
	if b.err != nil {
		b.mu.Unlock()
		return b.err
	}
	b.seq++
	line := map[string]any{"do": what, "seq": b.seq}
	for k, v := range args {
		line[k] = v
	}
	text, err := json.Marshal(line)
	if err == nil {
		b.waiting[b.seq] = to
		_, err = b.in.Write(append(text, '\n'))
	}
	b.mu.Unlock()
	if err != nil {
		return err
	}
	a := <-to
	switch {
	case a.Error != "":
		return fmt.Errorf("%s: %s", what, a.Error)
	case value == nil:
		return nil
	}
	return json.Unmarshal(a.Value, value)
}
