package proxy

import (
	"bytes"
	"strconv"
)

// redis is the wire of Redis, RESP2 or RESP3: requests and answers have no numbers, and come
// in the same order. What is pushed comes in between, and answers nothing.
type redis struct {
	requests, answers values
	asked, answered   uint64
}

// Redis is the protocol of Redis. Requests are those that run a script.
func Redis() Wire { return &redis{} }

func (r *redis) Requests(b []byte) (ids []uint64) {
	for _, v := range r.requests.read(b) {
		if len(v) > 1 && bytes.HasPrefix(bytes.ToLower(v[1]), []byte("eval")) {
			ids = append(ids, r.asked)
		}
		r.asked++
	}
	return ids
}

func (r *redis) Answers(b []byte) (answers []Answer) {
	for _, v := range r.answers.read(b) {
		if v[0][0] == '>' {
			continue
		}
		answers = append(answers, Answer{ID: r.answered, Void: bytes.HasPrefix(v[0], []byte("-NOSCRIPT"))})
		r.answered++
	}
	return answers
}

// values finds the outermost values in a stream of bytes.
type values struct {
	rest []byte
	// now is the value that is being read: its first line, and the first text in it.
	now  [][]byte
	left int // values that it still has inside
}

// read returns the values that are complete with these bytes: the first line of each, and
// the first text in it, if there is one.
func (v *values) read(b []byte) (seen [][][]byte) {
	v.rest = append(v.rest, b...)
	for {
		line, behind, ok := bytes.Cut(v.rest, []byte("\r\n"))
		if !ok || len(line) == 0 {
			return seen
		}
		text := []byte(nil)
		inside := 0
		switch n, _ := strconv.Atoi(string(line[1:])); line[0] {
		case '$', '=', '!': // a text behind its length; -1 is none
			if n >= 0 {
				if len(behind) < n+2 {
					return seen
				}
				text, behind = behind[:n], behind[n+2:]
			}
		case '*', '~', '>':
			inside = max(n, 0)
		case '%':
			inside = 2 * n
		case '|': // attributes, in front of the value that they belong to
			inside = 2*n + 1
		}
		if len(v.now) == 0 {
			v.now, v.left = [][]byte{bytes.Clone(line)}, 1
		} else if len(v.now) == 1 && text != nil {
			v.now = append(v.now, bytes.Clone(text))
		}
		v.left += inside - 1
		v.rest = behind
		if v.left == 0 {
			seen, v.now = append(seen, v.now), nil
		}
	}
}
