package filedriver

import (
	"bytes"
)

// A poke is the ID of a place and a newline, written to the pipe of its session.
const pokeLen = idDigits + 1

// pipeBuffer is how much of the pipe is read at once. It is less than the smallest pipe
// there is (a page): so a pipe that was too full to take a poke still gives a read
// that fills the buffer, and then everybody looks.
const pipeBuffer = 2048

// poke tells a session that a place of its may be granted, or is gone. A session that is
// dead, or ends now, does not hear it; whoever stands behind it watches for that. It
// reports false when it could not be told for want of descriptors, say.
func (d *Driver) poke(session, id string) bool {
	d.mu.Lock()
	own := d.sessions[session]
	d.mu.Unlock()
	if own != nil {
		own.rouse(id)
		return true
	}
	d.root.before("poke", session)
	return writePipe(d.root.wakePipe(session), append([]byte(id), '\n'))
}

// listen reads pokes until the pipe is closed.
func (s *Session) listen() {
	buf := make([]byte, pipeBuffer)
	kept := 0
	for {
		n, err := s.pipe.Read(buf[kept:])
		if err != nil {
			return
		}
		if kept+n == len(buf) {
			s.rouseAll()
		}
		rest := buf[:kept+n]
		for {
			id, after, found := bytes.Cut(rest, []byte("\n"))
			if !found {
				break
			}
			s.rouse(string(id))
			rest = after
		}
		if len(rest) >= pokeLen { // not a poke
			rest = nil
		}
		kept = copy(buf, rest)
	}
}
