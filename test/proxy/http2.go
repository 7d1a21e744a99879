package proxy

import "encoding/binary"

// frame is what matters of a frame of HTTP/2 (RFC 9113, section 4.1).
type frame struct {
	stream uint32
	ends   bool // its sender says no more on this stream
}

const (
	frameHeader = 9
	typeData    = 0
	typeHeaders = 1
	endStream   = 1
	// preface is what a client sends before its first frame (section 3.4).
	preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// frames finds frames in a stream of bytes.
type frames struct {
	skip   int // bytes until the next frame begins
	header []byte
}

// http2 is the wire of etcd: a request is a stream that the client ends, so that what goes
// on, such as a watch, is none.
type http2 struct{ requests, answers frames }

// HTTP2 is the protocol of etcd, and of all else that speaks gRPC.
func HTTP2() Wire { return &http2{requests: frames{skip: len(preface)}} }

func (h *http2) Requests(b []byte) (ids []uint64) {
	for _, f := range h.requests.read(b) {
		if f.ends {
			ids = append(ids, uint64(f.stream))
		}
	}
	return ids
}

func (h *http2) Answers(b []byte) (answers []Answer) {
	for _, f := range h.answers.read(b) {
		answers = append(answers, Answer{ID: uint64(f.stream)})
	}
	return answers
}

// read returns the frames of requests and answers whose header is complete with these
// bytes.
func (f *frames) read(b []byte) (seen []frame) {
	for len(b) > 0 {
		if f.skip > 0 {
			n := min(f.skip, len(b))
			f.skip -= n
			b = b[n:]
			continue
		}
		n := min(frameHeader-len(f.header), len(b))
		f.header = append(f.header, b[:n]...)
		b = b[n:]
		if len(f.header) < frameHeader {
			return seen
		}
		h := f.header
		f.skip = int(h[0])<<16 | int(h[1])<<8 | int(h[2])
		if h[3] == typeData || h[3] == typeHeaders {
			stream := binary.BigEndian.Uint32(h[5:]) & (1<<31 - 1)
			seen = append(seen, frame{stream: stream, ends: h[4]&endStream != 0})
		}
		f.header = f.header[:0]
	}
	return seen
}
