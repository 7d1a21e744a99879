package driver

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of what a driver must take, in bytes.
const (
	MaxName   = 512
	MaxData   = 4 << 10
	MaxOwner  = 256
	MaxReason = 1 << 10
	idLen     = 32
)

// CheckName reports what is wrong with the name of a line: any UTF-8 of 1 to
// [MaxName] bytes without NUL is allowed.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: a name has 1 to %d bytes, this one is empty", ErrInvalid, MaxName)
	case len(name) > MaxName:
		return fmt.Errorf("%w: a name has 1 to %d bytes, this one has %d", ErrInvalid, MaxName, len(name))
	case !utf8.ValidString(name):
		return fmt.Errorf("%w: a name is UTF-8, %q is not", ErrInvalid, name)
	case strings.IndexByte(name, 0) >= 0:
		return fmt.Errorf("%w: a name has no NUL, %q has", ErrInvalid, name)
	}
	return nil
}

// CheckID reports what is wrong with a client's ID of a place.
func CheckID(id string) error {
	ok := len(id) == idLen
	for i := 0; ok && i < len(id); i++ {
		ok = '0' <= id[i] && id[i] <= '9' || 'a' <= id[i] && id[i] <= 'f'
	}
	if !ok {
		return fmt.Errorf("%w: a place ID is %d lower-case hexadecimal digits, not %q", ErrInvalid, idLen, id)
	}
	return nil
}

// Check reports what is wrong with a query, whatever the store.
func (q Query) Check() error {
	switch {
	case !q.Prefix:
		return CheckName(q.Name)
	case q.Name == "":
		return nil
	case !utf8.ValidString(q.Name):
		return fmt.Errorf("%w: a prefix is UTF-8, %q is not", ErrInvalid, q.Name)
	}
	return CheckName(q.Name)
}

// Check reports what is wrong with a put, whatever the store.
func (p Put) Check() error {
	if err := CheckName(p.Key); err != nil {
		return err
	}
	switch {
	case len(p.Value) > MaxValue:
		return fmt.Errorf("%w: a value has at most %d bytes, this one has %d", ErrTooLarge, MaxValue, len(p.Value))
	case p.TTL < 0:
		return fmt.Errorf("%w: the TTL of a key is not negative, %v is", ErrInvalid, p.TTL)
	}
	return nil
}

// Check reports what is wrong with a claim, whatever the store.
func (c Claim) Check() error {
	if err := CheckName(c.Line); err != nil {
		return err
	}
	if err := CheckID(c.ID); err != nil {
		return err
	}
	if err := c.Kind.check(); err != nil {
		return err
	}
	if c.Capacity < 1 || c.Capacity > MaxCapacity {
		return fmt.Errorf("%w: a capacity is 1 to %d, not %d", ErrInvalid, MaxCapacity, c.Capacity)
	}
	if c.Units < 0 || c.Units > c.Capacity {
		return fmt.Errorf("%w: units are 0 to the capacity of %d, not %d", ErrInvalid, c.Capacity, c.Units)
	}
	return CheckData(c.Data)
}

// CheckSwap reports what is wrong with a claim that is to take the place of p by a Swap,
// whatever the store.
func (c Claim) CheckSwap(p Place) error {
	if err := c.Check(); err != nil {
		return err
	}
	switch {
	case c.Try:
		return fmt.Errorf("%w: a swap cannot be a try", ErrInvalid)
	case p.Line != c.Line:
		return fmt.Errorf("%w: a swap stays in line %q, not %q", ErrInvalid, p.Line, c.Line)
	case p.ID == c.ID:
		return fmt.Errorf("%w: a swap needs a new place ID", ErrInvalid)
	}
	return CheckID(p.ID)
}

func (k Kind) check() error {
	ok := 1 <= len(k) && len(k) <= 16
	for i := 0; ok && i < len(k); i++ {
		ok = 'a' <= k[i] && k[i] <= 'z'
	}
	if !ok {
		return fmt.Errorf("%w: a kind is 1 to 16 lower-case letters, not %q", ErrInvalid, k)
	}
	return nil
}

// CheckData reports what is wrong with the data of a place.
func CheckData(data []byte) error {
	if len(data) > MaxData {
		return fmt.Errorf("%w: data has at most %d bytes, this has %d", ErrTooLarge, MaxData, len(data))
	}
	if len(data) > 0 && !json.Valid(data) {
		return fmt.Errorf("%w: data is JSON or empty", ErrInvalid)
	}
	return nil
}

// CheckOwner reports what is wrong with the owner text of a session.
func CheckOwner(owner string) error {
	return checkText("an owner", owner, MaxOwner)
}

// Check reports what is wrong with an eviction.
func (e Eviction) Check() error {
	if err := checkText("a reason", e.Reason, MaxReason); err != nil {
		return err
	}
	return checkText("the evictor's name", e.By, MaxOwner)
}

func checkText(what, text string, limit int) error {
	if len(text) > limit {
		return fmt.Errorf("%w: %s has at most %d bytes, this one has %d", ErrTooLarge, what, limit, len(text))
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%w: %s is UTF-8 without NUL, %q is not", ErrInvalid, what, text)
	}
	return nil
}
