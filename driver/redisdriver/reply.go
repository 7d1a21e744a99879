package redisdriver

import (
	"fmt"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

// reply is what a script answers. A value that is not there, or of another type than is
// asked for, is empty: the scripts and their readers are one program.
type reply []any

func (r reply) text(i int) string {
	if i < len(r) {
		s, _ := r[i].(string)
		return s
	}
	return ""
}

func (r reply) list(i int) reply {
	if i < len(r) {
		l, _ := r[i].([]any)
		return l
	}
	return nil
}

func (r reply) integer(i int) int64 {
	if i < len(r) {
		n, _ := r[i].(int64)
		return n
	}
	return 0
}

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// The first words of answers.
const (
	saysOK       = "ok"
	saysAll      = "all"
	saysGranted  = "granted"
	saysWaiting  = "waiting"
	saysGone     = "gone"
	saysLost     = "lost"
	saysBusy     = "busy"
	saysMismatch = "mismatch"
	saysTaken    = "taken"
	saysConflict = "conflict"
	saysMore     = "more"
	saysPolicy   = "policy"
)

// refusal turns an answer that says no into an error. The place named is the one asked for.
func (r reply) refusal(line, id string) error {
	switch r.text(0) {
	case saysGone:
		return gone(line, id)
	case saysBusy:
		head, err := shownPlace(r.text(2), r.list(3))
		if err != nil {
			return err
		}
		head.Granted = true // nobody is ahead of it
		return &driver.BusyError{Head: head, Ahead: int(r.integer(1))}
	case saysMismatch:
		return fmt.Errorf("%w: %q is a %s of capacity %s", driver.ErrMismatch, r.text(1), r.text(2), r.text(3))
	case saysTaken:
		return fmt.Errorf("%w: place ID %s is in use by another session", driver.ErrInvalid, id)
	case saysConflict:
		return fmt.Errorf("%w: version %s stands", driver.ErrConflict, r.text(1))
	case saysMore:
		return fmt.Errorf("%w: units only go down: 0 to %s", driver.ErrInvalid, r.text(1))
	}
	return fmt.Errorf("%w: the server answered %q", driver.ErrUnknownOutcome, r.text(0))
}
