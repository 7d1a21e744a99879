package zklog

import (
	"encoding/binary"
	"errors"
)

// decoder reads what ZooKeeper writes (org.apache.jute). After an error all it reads is
// zero.
type decoder struct {
	rest []byte
	err  error
}

var errShort = errors.New("the record is cut off")

func (d *decoder) take(n int) []byte {
	if d.err == nil && (n < 0 || n > len(d.rest)) {
		d.err = errShort
	}
	if d.err != nil {
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) int() int32 {
	if b := d.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (d *decoder) long() int64 {
	if b := d.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// buffer is behind its length, -1 for none.
func (d *decoder) buffer() []byte {
	if n := d.int(); n > 0 {
		return d.take(int(n))
	}
	return nil
}

func (d *decoder) text() string { return string(d.buffer()) }
