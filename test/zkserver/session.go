package zkserver

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// EndSession is CloseSession, for tests in which it works.
func (s *Server) EndSession(tb testing.TB, id string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 30*time.Second)
	defer cancel()
	if err := s.CloseSession(ctx, id); err != nil {
		tb.Fatalf("end session %s: %v", id, err)
	}
}

// CloseSession ends a session as its own client would: ZooKeeper gives operators no other
// way. The password of a session is made from its ID.
func (s *Server) CloseSession(ctx context.Context, id string) error {
	session, err := strconv.ParseUint(strings.TrimPrefix(id, "0x"), 16, 64)
	if err != nil {
		return err
	}
	for {
		gone, err := s.closeSession(ctx, int64(session))
		if gone || err != nil {
			return err
		}
	}
}

// closeSession makes one attempt, and reports whether the session was gone before. Its own
// client, whose connection this one replaces, comes back at once and replaces it in turn.
func (s *Server) closeSession(ctx context.Context, id int64) (gone bool, err error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return false, err
	}
	defer c.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(deadline)
	}

	hello := binary.BigEndian.AppendUint32(nil, 0)                            // version of the protocol
	hello = binary.BigEndian.AppendUint64(hello, 0)                           // last transaction seen
	hello = binary.BigEndian.AppendUint32(hello, 10_000)                      // time to live
	hello = binary.BigEndian.AppendUint64(hello, uint64(id))                  // the session, and
	hello = append(binary.BigEndian.AppendUint32(hello, 16), password(id)...) // its password
	bye := binary.BigEndian.AppendUint32(nil, 1)                              // number of the request
	bye = binary.BigEndian.AppendUint32(bye, 0xffff_fff5)                     // close, -11
	if _, err := c.Write(append(framed(hello), framed(bye)...)); err != nil {
		return false, err
	}
	answer, err := readFrame(c)
	_, _ = io.Copy(io.Discard, c) // until the server has closed the connection
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return err == nil && len(answer) >= 16 && binary.BigEndian.Uint64(answer[8:]) == 0, nil
}

func framed(request []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(request))), request...)
}

// readFrame reads an answer, whose length comes first.
func readFrame(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(r, frame)
	return frame, err
}

// password is what the server makes from a session's ID: 16 bytes of java.util.Random.
func password(id int64) []byte {
	const (
		secret     = 0xB3415C00 // SessionTrackerImpl and ZooKeeperServer
		multiplier = 0x5DEECE66D
		mask       = 1<<48 - 1
	)
	seed := (uint64(id^secret) ^ multiplier) & mask
	var p []byte
	for range 4 {
		seed = (seed*multiplier + 0xB) & mask
		p = binary.LittleEndian.AppendUint32(p, uint32(seed>>16))
	}
	return p
}
