package filedriver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// identity is what the file of a session says. It is written before anybody can see
// the file, and never changes.
type identity struct {
	Owner string `json:"owner"`
	process
}

// process tells one process of this machine from all others, also those that get
// the same number later.
type process struct {
	PID int `json:"pid"`
	// Namespace is the PID namespace that PID counts in, Started when the process
	// began, in the kernel's own words. Both are empty where the system does not tell.
	Namespace string `json:"pid_namespace,omitempty"`
	Started   string `json:"started,omitempty"`
}

// Open starts a session. Its TTL does not matter, as it does not expire.
func (d *Driver) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	k, err := d.calls.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer k.done()
	if err := driver.CheckOwner(o.Owner); err != nil {
		return nil, err
	}
	if o.TTL < 0 {
		return nil, fmt.Errorf("%w: a TTL is not negative, as %v is", driver.ErrInvalid, o.TTL)
	}
	d.sweepSome()
	s, err := d.publish(o.Owner)
	if err != nil {
		return nil, translate(err)
	}
	d.mu.Lock()
	closed := d.sessions == nil
	if !closed {
		d.sessions[s.id] = s
	}
	d.mu.Unlock()
	s.pump.Go(s.listen) // ends when the pipe is closed, by quit, which waits for it
	if closed {
		_ = s.abandon()
		return nil, driver.ErrClosed
	}
	return s, nil
}

// publish makes the files of a session. The one that counts appears under its name
// when it is locked and whole, never before: who finds it unlocked may remove it.
func (d *Driver) publish(owner string) (_ *Session, err error) {
	r := d.root
	var id string
	f, err := r.createLocked(func() string {
		id = randomHex(sessionDigits)
		return r.newSession(id)
	})
	if err != nil {
		return nil, err
	}
	s := &Session{
		d: d, id: id, owner: owner, file: f, closed: make(chan struct{}),
		turns: map[string]*turn{}, places: map[placeKey]*standing{}, waits: map[string][]*sleeper{},
	}
	defer func() {
		if err != nil {
			_ = r.unlink(r.newSession(id))
			s.closeFiles()
		}
	}()
	if s.inode, err = identifyOpen(f); err != nil {
		return nil, err
	}
	content, err := json.Marshal(identity{Owner: owner, process: thisProcess()})
	if err != nil {
		return nil, err
	}
	r.before("write", f.Name())
	if _, err := f.Write(append(content, '\n')); err != nil {
		return nil, err
	}
	if s.pipe, err = r.makePipe(r.wakePipe(id)); err != nil {
		return nil, err
	}
	if err := r.rename(r.newSession(id), r.session(id)); err != nil {
		return nil, err
	}
	return s, nil
}

// closeFiles lets go of the lock, and of the pipe.
func (s *Session) closeFiles() {
	if s.pipe != nil {
		_ = s.d.root.unlink(s.d.root.wakePipe(s.id))
		_ = s.pipe.Close()
	}
	_ = s.file.Close()
}

// readIdentity reads the file of a session.
func (d *Driver) readIdentity(session string) (identity, error) {
	var who identity
	content, err := readFile(d.root.session(session))
	if err == nil {
		err = json.Unmarshal(content, &who)
	}
	return who, err
}
