package etcdembed

import (
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// maxSocketPath is the longest path of a socket that every system takes.
const maxSocketPath = 103

// clientAddress parses what clients are served on.
func clientAddress(field, text string, files TLS) (url.URL, error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		return socketAddress(field, path, files)
	}
	return listening(field, text, files)
}

func socketAddress(field, path string, files TLS) (url.URL, error) {
	path = strings.TrimPrefix(path, "//")
	switch {
	case !filepath.IsAbs(path):
		return url.URL{}, invalid(field, "a socket is unix:///absolute/path, not %q", path)
	case len(path) > maxSocketPath:
		return url.URL{}, invalid(field, "the path of a socket has at most %d bytes, not %d", maxSocketPath, len(path))
	case !files.empty():
		return url.URL{}, invalid(field, "a socket of the file system takes no TLS")
	}
	return url.URL{Scheme: "unix", Path: filepath.Clean(path)}, nil
}

// listening parses an address that can be listened on.
func listening(field, text string, files TLS) (url.URL, error) {
	u, err := tcpAddress(field, text, files)
	if err != nil {
		return u, err
	}
	if host := u.Hostname(); host != "localhost" && !isIP(host) {
		return u, invalid(field, "listens on an IP address or localhost, not %q", host)
	}
	return u, nil
}

// reachable parses an address that others connect to.
func reachable(field, text string, files TLS) (url.URL, error) {
	u, err := tcpAddress(field, text, files)
	switch {
	case err != nil:
		return u, err
	case isWildcard(u) || u.Port() == "0":
		return u, invalid(field, "nobody can connect to %q", text)
	}
	return u, nil
}

// tcpAddress parses host:port or a URL. TLS decides the scheme, so that neither files
// without use nor a secure address without files go unnoticed.
func tcpAddress(field, text string, files TLS) (url.URL, error) {
	scheme := "http"
	if !files.empty() {
		scheme = "https"
	}
	full := text
	if !strings.Contains(text, "://") {
		full = scheme + "://" + text
	}
	u, err := url.Parse(full)
	if err != nil || !isBare(u) {
		return url.URL{}, invalid(field, "is host:port or %s://host:port, not %q", scheme, redacted(text))
	}
	if u.Scheme != scheme {
		return url.URL{}, invalid(field, "has scheme %q; it is https with TLS files and http without, here %q", u.Scheme, scheme)
	}
	return url.URL{Scheme: scheme, Host: u.Host}, nil
}

// isBare tells a URL that has a host and a port, and nothing else.
func isBare(u *url.URL) bool {
	_, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && u.Hostname() != "" && u.User == nil && u.RawQuery == "" && u.Fragment == "" &&
		(u.Path == "" || u.Path == "/")
}

// redacted is a text for an error message: what stands before an @ may be a password.
func redacted(text string) string {
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		return "..." + text[i:]
	}
	return text
}

func isIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// isWildcard tells an address that stands for all of the machine.
func isWildcard(u url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsUnspecified()
}

// isLocal tells an address that only this machine reaches.
func isLocal(u url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "unix" || u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
