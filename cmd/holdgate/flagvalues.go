package main

import (
	"errors"
	"strconv"
)

// text is the value of a flag that is any text. Its kind is what the help calls it: not marked in
// the usage by backquotes, which completion would show as they are.
type text struct {
	to   *string
	kind string
}

func (v text) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

func (v text) Type() string { return v.kind }

func (v text) Set(s string) error {
	*v.to = s
	return nil
}

// number is the value of a flag that is a whole number. allowed is said when it is not.
type number struct {
	to            *int
	kind, allowed string
}

func (v number) String() string {
	if v.to == nil {
		return ""
	}
	return strconv.Itoa(*v.to)
}

func (v number) Type() string { return v.kind }

func (v number) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil {
		return errors.New(v.allowed)
	}
	*v.to = n
	return nil
}

// storeURL is the value of --store. One that is empty is a variable of a script that is not set: the
// store of this user instead would exclude none of those that the script means.
type storeURL struct{ text }

func (v storeURL) Set(s string) error {
	if s == "" {
		return errors.New("it is empty; leave --store out for $HOLDGATE_STORE or, where that is not set or empty, the files of this user")
	}
	return v.text.Set(s)
}
