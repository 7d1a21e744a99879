package remotedriver

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options are for New. Zero values are the defaults.
type Options struct {
	// Token lets in where the server wants to know who comes.
	Token string
	// TLS is for https: authorities, and a certificate that lets in.
	TLS *tls.Config
	// Transport carries the requests, instead of one of the driver's own. TLS is its affair
	// then.
	Transport http.RoundTripper
}

// transport is what carries requests, and whether it is the driver's own.
func (o *Options) transport() (http.RoundTripper, bool) {
	if o != nil && o.Transport != nil {
		return o.Transport, false
	}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: 256, // as many as wait at once, not to dial anew for each
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	if o != nil && o.TLS != nil {
		t.TLSClientConfig = o.TLS.Clone()
	}
	return t, true
}

func (o *Options) token() (string, error) {
	if o == nil || o.Token == "" {
		return "", nil
	}
	if strings.ContainsAny(o.Token, " \t\r\n\x00") {
		return "", errors.New("remotedriver: Options.Token has white space")
	}
	return o.Token, nil
}

// readServers reads the addresses of the servers. No error repeats one: a part may be secret.
func readServers(texts []string) ([]string, error) {
	if len(texts) == 0 {
		return nil, errors.New("remotedriver: no server")
	}
	servers := make([]string, len(texts))
	for i, text := range texts {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("remotedriver: server %d is no http:// or https:// URL", i+1)
		}
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("remotedriver: the URL of server %d has a user, a query or a fragment", i+1)
		}
		servers[i] = u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")
	}
	return servers, nil
}
