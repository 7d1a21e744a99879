package proxy

import "encoding/binary"

// zooKeeper is the wire of ZooKeeper: each message is behind its length, and begins with
// the number of its request.
type zooKeeper struct{ requests, answers messages }

// ZooKeeper is the protocol of ZooKeeper's clients. Requests are those that write.
func ZooKeeper() Wire { return &zooKeeper{} }

// writes reports whether an operation of this number does: create, delete, setData, multi,
// and those that create in newer ways.
func writes(operation uint32) bool {
	switch operation {
	case 1, 2, 5, 14, 15, 19, 21:
		return true
	}
	return false
}

func (z *zooKeeper) Requests(b []byte) (ids []uint64) {
	for _, m := range z.requests.read(b) {
		// The first message is a greeting, without a number.
		if m.index > 0 && writes(m.second) {
			ids = append(ids, uint64(m.first))
		}
	}
	return ids
}

func (z *zooKeeper) Answers(b []byte) (answers []Answer) {
	for _, m := range z.answers.read(b) {
		if m.index > 0 {
			answers = append(answers, Answer{ID: uint64(m.first)})
		}
	}
	return answers
}

// message is what matters of one: the two numbers that it begins with, and how many came
// before it.
type message struct {
	first, second uint32
	index         int
}

// messages finds messages in a stream of bytes.
type messages struct {
	skip  int // bytes until the next one begins
	head  []byte
	index int
}

const messageHead = 12 // its length, and two numbers; none is shorter

func (m *messages) read(b []byte) (seen []message) {
	for len(b) > 0 {
		if m.skip > 0 {
			n := min(m.skip, len(b))
			m.skip -= n
			b = b[n:]
			continue
		}
		n := min(messageHead-len(m.head), len(b))
		m.head = append(m.head, b[:n]...)
		b = b[n:]
		if len(m.head) < messageHead {
			return seen
		}
		m.skip = int(binary.BigEndian.Uint32(m.head)) - (messageHead - 4)
		seen = append(seen, message{binary.BigEndian.Uint32(m.head[4:]), binary.BigEndian.Uint32(m.head[8:]), m.index})
		m.head = m.head[:0]
		m.index++
	}
	return seen
}
