package zkdriver

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
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
	const patience = time.Second
	for what, c := range map[string]struct {
		answered int           // questions before the last one, which nobody answers
		pause    time.Duration // before each question
		want     time.Duration
	}{
		"at once":                      {0, 0, patience},
		"after an answer":              {1, patience / 2, 2*patience/2 + patience},
		"after many":                   {9, patience / 4, 10*patience/4 + patience},
		"after long without questions": {1, 10 * patience, 20*patience + patience},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, server := net.Pipe()
				defer server.Close()
				w := &wire{Conn: client, patience: func() time.Duration { return patience }, shaken: func(time.Duration) {}}
				defer w.Close()
				began := time.Now()
				go func() { // ends with its last step
					word := make([]byte, 1)
					for range c.answered {
						_, _ = server.Read(word)
						_, _ = server.Write(word)
					}
					_, _ = server.Read(word)
				}()
				word := make([]byte, 1)
				for range c.answered {
					time.Sleep(c.pause)
					_, _ = w.Write(word)
					if _, err := w.Read(word); err != nil {
						t.Fatalf("after %v: %v", time.Since(began), err)
					}
				}
				time.Sleep(c.pause)
				_, _ = w.Write(word)
				if _, err := w.Read(word); !errors.Is(err, io.ErrClosedPipe) {
					t.Fatalf("got %v, want the end of patience", err)
				}
				if took := time.Since(began); took != c.want {
					t.Errorf("gave up after %v, want %v", took, c.want)
				}
			})
		})
	}
}

// Who is asked nothing may be silent: the client sees to that it is asked.
func TestWireWaitsForNoAnswerWithoutAQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		w := &wire{Conn: client, patience: func() time.Duration { return time.Second }, shaken: func(time.Duration) {}}
		defer w.Close()
		go func() { // ends with its last step
			time.Sleep(time.Hour)
			_, _ = server.Write([]byte("x"))
		}()
		if _, err := w.Read(make([]byte, 1)); err != nil {
			t.Errorf("got %v", err)
		}
	})
}
