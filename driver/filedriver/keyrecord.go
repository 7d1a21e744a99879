package filedriver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// keyRecord is a key as it lies in its file: a line of JSON, then the value.
type keyRecord struct {
	driver.Entry
	// expires is when the key goes, zero if never. It is the machine's wall time: it has to
	// mean the same after the machine was started anew.
	expires time.Time
}

// keyHead is the first line.
type keyHead struct {
	Key     string `json:"key"`
	Version uint64 `json:"version,string"`
	Expires int64  `json:"expires_us,omitempty"` // since 1970
}

func (r *keyRecord) format() []byte {
	head := keyHead{Key: r.Key, Version: r.Version}
	if !r.expires.IsZero() {
		head.Expires = r.expires.UnixMicro()
	}
	b, err := json.Marshal(head)
	if err != nil {
		panic(err) // strings and numbers
	}
	return append(append(b, '\n'), r.Value...)
}

// readKey reads a key's file.
func readKey(path string) (keyRecord, error) {
	content, err := readFileUpTo(path, driver.MaxValue+maxContent)
	if err != nil {
		return keyRecord{}, err
	}
	line, value, ok := bytes.Cut(content, []byte{'\n'})
	var head keyHead
	if err := json.Unmarshal(line, &head); !ok || err != nil || head.Version == 0 || driver.CheckName(head.Key) != nil {
		return keyRecord{}, fmt.Errorf("%w: file %s is of other software", driver.ErrMismatch, path)
	}
	r := keyRecord{Entry: driver.Entry{Key: head.Key, Value: value, Version: head.Version}}
	if head.Expires != 0 {
		r.expires = time.UnixMicro(head.Expires)
	}
	return r, nil
}

// stands reports whether there is such a key now.
func (r *keyRecord) stands() bool {
	return r.Version != 0 && (r.expires.IsZero() || time.Now().Before(r.expires))
}

// now is the version that the key has, 0 when it is not there.
func (r *keyRecord) now() uint64 {
	if r.stands() {
		return r.Version
	}
	return 0
}

// cleaning is how many puts of keys that expire there are to one that removes those that
// have: each would have to look at all.
const cleaning = 64

// cleanKeys removes, now and then, the files of keys that have expired.
func (d *Driver) cleanKeys() {
	if rand.N(cleaning) > 0 {
		return
	}
	files, err := d.root.names(d.root.keysDir())
	if err != nil {
		return
	}
	for _, file := range files {
		r, err := readKey(filepath.Join(d.root.keysDir(), file))
		if err != nil || r.stands() {
			continue
		}
		if y := d.key(r.Key); y.stripe.tryLock() {
			if r, err := y.read(); err == nil && r.Version != 0 && !r.stands() {
				_ = d.root.unlink(y.path)
			}
			y.stripe.unlock()
		}
	}
}

// makeKeysDir makes the directory of the keys: those who only lock have none.
func (r *root) makeKeysDir() error {
	if exists(r.keysDir()) {
		return nil
	}
	if err := r.mkdir(r.keysDir(), r.stageDir()); err != nil && !exists(r.keysDir()) {
		return err
	}
	return nil // also when somebody else did
}
