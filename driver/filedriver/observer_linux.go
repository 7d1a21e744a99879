package filedriver

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// observer tells watches of changes in directories, by one inotify instance for all
// watches of the driver: a user has few of them. It exists while a watch does.
type observer struct {
	mu     sync.Mutex
	closed bool
	file   *os.File // nil while nobody watches, or there is none to be had
	reader sync.WaitGroup
	byID   map[int32]*observed
	byPath map[string]*observed
}

// observed is a directory, and those who want to know of it.
type observed struct {
	id    int32
	path  string
	wants map[*news]bool
}

// changes are what moves a directory's date: nothing here changes a file in place.
const changes = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ONLYDIR

// observe has n told of changes in a directory from now on. It reports false when
// nobody will. A directory that is not there counts as observed: its parent is.
func (o *observer) observe(path string, n *news) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.file == nil && !o.open() {
		return false
	}
	// Asked each time, since another directory may have the name by now. For the same
	// one, the answer is the same.
	var id int
	err := control(o.file, func(fd int) (err error) {
		id, err = unix.InotifyAddWatch(fd, path, changes)
		return err
	})
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	of := o.byPath[path]
	if of == nil || of.id != int32(id) {
		wants := map[*news]bool{}
		if of != nil {
			wants = of.wants
			delete(o.byID, of.id)
		}
		of = &observed{id: int32(id), path: path, wants: wants}
		o.byID[of.id], o.byPath[path] = of, of
	}
	of.wants[n] = true
	return true
}

func (o *observer) open() bool {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return false
	}
	o.file = os.NewFile(uintptr(fd), "inotify")
	o.byID, o.byPath = map[int32]*observed{}, map[string]*observed{}
	file := o.file
	o.reader.Go(func() { o.listen(file) }) // ends when the file is closed, by forget, or close
	return true
}

// forget ends what n is told.
func (o *observer) forget(n *news) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for path, of := range o.byPath {
		if delete(of.wants, n); len(of.wants) == 0 {
			delete(o.byPath, path)
			delete(o.byID, of.id)
			_ = control(o.file, func(fd int) error {
				_, err := unix.InotifyRmWatch(fd, uint32(of.id))
				return err
			})
		}
	}
	if len(o.byPath) == 0 {
		o.shut()
	}
}

// close ends it, also while the caller of a watch looks at a snapshot.
func (o *observer) close() {
	o.mu.Lock()
	o.closed = true
	clear(o.byPath)
	o.shut()
	o.mu.Unlock()
	o.reader.Wait()
}

func (o *observer) shut() {
	if o.file != nil {
		_ = o.file.Close()
		o.file = nil
	}
}

// gather is how long events are left to gather: a line that is used all the time has
// a hundred thousand a second.
const gather = time.Millisecond

func (o *observer) listen(file *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := file.Read(buf)
		if err != nil {
			return
		}
		if !o.pass(file, buf[:n]) {
			return
		}
		time.Sleep(gather)
	}
}

// pass passes events on. It reports false when they are of an instance that was given
// up: their numbers may mean other directories by now.
func (o *observer) pass(file *os.File, events []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != file {
		return false
	}
	for len(events) >= unix.SizeofInotifyEvent {
		id := int32(binary.NativeEndian.Uint32(events))
		mask := binary.NativeEndian.Uint32(events[4:])
		size := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		o.tell(id, mask, unix.ByteSliceToString(events[unix.SizeofInotifyEvent:size]))
		events = events[size:]
	}
	return true
}

// tell passes one event on.
func (o *observer) tell(id int32, mask uint32, name string) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		for _, of := range o.byPath {
			for n := range of.wants {
				n.tellAll()
			}
		}
		return
	}
	of := o.byID[id]
	if of == nil {
		return
	}
	dir := filepath.Base(of.path)
	if mask&unix.IN_ISDIR != 0 { // a line's directory, in that of the lines
		dir = name
	}
	for n := range of.wants {
		n.tell(dir)
	}
	if mask&unix.IN_IGNORED != 0 { // the directory is gone
		for n := range of.wants {
			n.rouse() // that of all lines matters to those of one too
		}
		delete(o.byID, id)
		if o.byPath[of.path] == of {
			delete(o.byPath, of.path)
		}
	}
}

// tellAll takes down that anything may have changed.
func (n *news) tellAll() {
	n.mu.Lock()
	n.all = true
	n.mu.Unlock()
	n.rouse()
}
