package remote

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Hosts takes the authority of a URL apart, without the user: host[:port],... An error
// names no part that could be of a password with an @ in it.
func Hosts(authority, defaultPort string) ([]string, error) {
	if authority == "" {
		return nil, errors.New("it has no host")
	}
	var endpoints []string
	for text := range strings.SplitSeq(authority, ",") {
		host, port, err := splitHost(text, defaultPort)
		if err != nil {
			return nil, err
		}
		endpoints = append(endpoints, net.JoinHostPort(host, port))
	}
	return endpoints, nil
}

func splitHost(text, defaultPort string) (host, port string, err error) {
	host, port = text, defaultPort
	if inside, ok := strings.CutPrefix(text, "["); ok {
		var after string
		host, after, ok = strings.Cut(inside, "]")
		if address, wrong := netip.ParseAddr(host); !ok || wrong != nil || !address.Is6() {
			return "", "", fmt.Errorf("in brackets is an IPv6 address, such as [::1]:%s, not %q", defaultPort, host)
		}
		if after != "" {
			if port, ok = strings.CutPrefix(after, ":"); !ok {
				return "", "", fmt.Errorf("after the brackets is :port, not %q", after)
			}
		}
		return host, port, checkPort(port)
	}
	if before, after, ok := strings.Cut(text, ":"); ok {
		host, port = before, after
		if strings.Contains(after, ":") {
			return "", "", errors.New("an IPv6 address is written in brackets, such as [::1]:" + defaultPort)
		}
	}
	if err := checkHost(host); err != nil {
		return "", "", err
	}
	return host, port, checkPort(port)
}

func checkHost(host string) error {
	if host == "" {
		return errors.New("a host is empty")
	}
	for _, r := range host {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._", r) {
			return fmt.Errorf("a host is a name or an address, %q is neither", host)
		}
	}
	return nil
}

func checkPort(port string) error {
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("a port is 1 to 65535, not %q", port)
	}
	return nil
}
