package process

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Config is what a client process is told when it begins.
type Config struct {
	// ID is that of one life of a process.
	ID   string `json:"id"`
	Seed uint64 `json:"seed"`

	// Store is the kind of store: "etcd", "zk", "redis", or "sentinel", whose endpoints are
	// those of the sentinels that know Primary.
	Store     string   `json:"store"`
	Endpoints []string `json:"endpoints"`
	Primary   string   `json:"primary,omitempty"`
	// Tick is that of ZooKeeper's servers.
	Tick time.Duration `json:"tick,omitempty"`

	// History is the file that its events go to, Register the socket of the resource.
	History  string `json:"history"`
	Register string `json:"register"`

	TTL     time.Duration `json:"ttl"`
	Strict  bool          `json:"strict"`  // every hold has a place of its own
	Workers int           `json:"workers"` // goroutines
	Names   []string      `json:"names"`
	Habits  Habits        `json:"habits"`
}

// Habits is how the goroutines use locks: probabilities, and durations at most.
type Habits struct {
	Try, Do, Cancel float64
	LongHold        float64
	Spin            float64       // whoever holds computes all the time, and asks all the time
	Hold, Long      time.Duration // of a hold, and of a long one
	Rest            time.Duration // between two
}

// calm is the only thing that a process is told later. Its standard input ends when
// the run does, so that it can tell the one from the other.
const calm = "calm"

// Tell begins a conversation with a process.
func Tell(orders io.Writer, c Config) error { return json.NewEncoder(orders).Encode(c) }

// TellCalm says that nothing goes wrong any more, and that it is time to finish.
func TellCalm(orders io.Writer) error {
	_, err := io.WriteString(orders, calm+"\n")
	return err
}

// Orders is the process's end of the conversation.
type Orders struct{ in *bufio.Reader }

// NewOrders reads what Tell wrote.
func NewOrders(in io.Reader) (*Orders, Config, error) {
	o := &Orders{in: bufio.NewReader(in)}
	line, err := o.in.ReadBytes('\n')
	if err != nil {
		return nil, Config{}, err
	}
	var c Config
	return o, c, json.Unmarshal(line, &c)
}

// AwaitCalm returns when TellCalm was called, with an error if the run has ended.
func (o *Orders) AwaitCalm() error {
	line, err := o.in.ReadString('\n')
	if err == nil && line != calm+"\n" {
		err = fmt.Errorf("the order is %q, not %q", line, calm)
	}
	return err
}
