package holdgate_test

import (
	"context"
	"os"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// inheriting is a driver whose sessions last as long as files that a child is given.
type inheriting struct {
	*memdriver.Driver
	err error
}

type inheritingSession struct {
	driver.Session
	err error
}

func (d inheriting) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	s, err := d.Driver.Open(ctx, o)
	return inheritingSession{s, d.err}, err
}

func (s inheritingSession) Inherit() ([]*os.File, error) {
	if s.err != nil {
		return nil, s.err
	}
	return []*os.File{os.Stdin}, nil
}

// A hold passes on what its session says a child must be given; where there is no such
// thing, nothing.
func TestInherit(t *testing.T) {
	take := func(t *testing.T, drv driver.Driver) *holdgate.Hold {
		p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
		p.drv = memdriver.New()
		p.open(t, drv, nil)
		return p.mustLock(t, "x")
	}
	t.Run("files", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			files, err := take(t, inheriting{Driver: memdriver.New()}).Inherit()
			if err != nil || len(files) != 1 || files[0] != os.Stdin {
				t.Errorf("got %v, %v; want the session's file", files, err)
			}
		})
	})
	t.Run("none", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			files, err := take(t, memdriver.New()).Inherit()
			if err != nil || files != nil {
				t.Errorf("got %v, %v; want nothing", files, err)
			}
		})
	})
	t.Run("error", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			_, err := take(t, inheriting{Driver: memdriver.New(), err: driver.ErrSessionLost}).Inherit()
			wantErr(t, err, driver.ErrSessionLost)
		})
	})
}
