package zkdriver

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestWireReadsTheHandshake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		var granted time.Duration
		w := &wire{Conn: client, patience: func() time.Duration { return time.Second }, shaken: func(d time.Duration) { granted = d }}
		defer w.Close()
		go func() { // ends with its last write
			answer := binary.BigEndian.AppendUint32(nil, 36)
			answer = binary.BigEndian.AppendUint32(answer, 0)
			answer = binary.BigEndian.AppendUint32(answer, 6000)
			for i := range answer { // in pieces
				_, _ = server.Write(answer[i : i+1])
			}
			_, _ = server.Write([]byte("the rest"))
		}()
		buf := make([]byte, 64)
		for n := 0; n < 20; {
			m, err := w.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			n += m
		}
		if granted != 6*time.Second {
			t.Errorf("read a time to live of %v, want 6s", granted)
		}
	})
}

func TestWireGivesUpWhoIsSilent(t *testing.T) {
	t.Parallel()
	const limit = 10 * time.Second // the client's own
	for what, c := range map[string]struct {
		answers bool
		want    time.Duration
	}{
		"asked, no word":             {false, time.Second},
		"it answered, nothing since": {true, limit},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, server := net.Pipe()
				defer server.Close()
				w := &wire{Conn: client, patience: func() time.Duration { return time.Second }, shaken: func(time.Duration) {}}
				defer w.Close()
				began := time.Now()
				_ = w.SetReadDeadline(began.Add(limit))
				go func() { // ends with its last step, or with the connection
					_, _ = server.Read(make([]byte, 8))
					if c.answers {
						time.Sleep(time.Second / 2)
						_, _ = server.Write([]byte("x"))
					}
				}()
				_, _ = w.Write([]byte("ask"))
				buf := make([]byte, 1)
				if c.answers {
					if _, err := w.Read(buf); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := w.Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatalf("got %v, want the end of patience", err)
				}
				if took := time.Since(began); took != c.want {
					t.Errorf("gave up after %v, want %v", took, c.want)
				}
			})
		})
	}
}
