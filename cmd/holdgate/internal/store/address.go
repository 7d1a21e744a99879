package store

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// address is a URL, and what it says of hosts: net/url knows of one at most.
type address struct {
	url   *url.URL
	hosts string
}

// takeApart reads a URL. No error repeats it: a part may be of a password.
func takeApart(text string) (address, error) {
	text, hosts := takeHosts(text)
	u, err := url.Parse(text)
	if err != nil {
		return address{}, fmt.Errorf("%w: it cannot be read; allowed are %s", ErrURL, examples())
	}
	at := address{url: u, hosts: hosts}
	if hosts != "" && strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return address{}, fmt.Errorf("%w: %w", ErrURL, errStray)
	}
	return at, nil
}

// errStray: the URL has an @ where it does not end a password. Most likely that began
// earlier.
var errStray = errors.New("it has an @ after the host; in a password / is written %2F, ? %3F, # %23, and in a path @ is %40")

// takeHosts cuts the list of hosts out of a URL that may have one.
func takeHosts(text string) (rest, hosts string) {
	scheme, after, ok := strings.Cut(text, "://")
	if !ok || !several(strings.ToLower(scheme)) {
		return text, ""
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	begin := strings.LastIndex(after[:end], "@") + 1
	return scheme + "://" + after[:begin] + after[end:], after[begin:end]
}

// shown is the URL as errors may repeat it: neither user nor password, nor what may be a
// part of one, nor options.
func (a address) shown() string {
	u := url.URL{Scheme: a.url.Scheme, Host: a.url.Host, Path: a.url.Path, Opaque: a.url.Opaque}
	if a.hosts != "" {
		u.Host = a.hosts
	}
	if strings.Contains(u.Path+u.Opaque, "@") {
		return a.url.Scheme + ":..."
	}
	return u.String()
}
