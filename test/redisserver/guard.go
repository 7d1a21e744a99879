package redisserver

import "strings"

// Guard says whom servers let in. The zero value is anybody, without TLS.
type Guard struct {
	// Password is that of the user who may do everything, and of the servers among
	// themselves; SentinelPassword that of the sentinels.
	Password, SentinelPassword string
	// User is one more, as `ACL SETUSER` takes it, its name first.
	User string
	// CA, Cert and Key are files. With them there is TLS only, and clients need a certificate.
	CA, Cert, Key string
}

// options are those of a server with this guard, and some more.
func (g Guard) options(config ...string) Options {
	o := Options{TLS: g.CA != ""}
	if o.TLS {
		o.Config = []string{
			"--tls-ca-cert-file", g.CA, "--tls-cert-file", g.Cert, "--tls-key-file", g.Key, "--tls-replication", "yes",
		}
		o.Client = []string{"--tls", "--cacert", g.CA, "--cert", g.Cert, "--key", g.Key}
	}
	if g.Password != "" {
		o.Config = append(o.Config, "--requirepass", g.Password, "--masterauth", g.Password)
		o.Client = append(o.Client, "-a", g.Password, "--no-auth-warning")
	}
	if g.User != "" {
		o.Config = append(append(o.Config, "--user"), strings.Fields(g.User)...)
	}
	o.Config = append(o.Config, config...)
	return o
}

// sentinel is the guard of the sentinels themselves, and what they have to know of the
// servers, as lines of their configuration.
func (g Guard) sentinel(name string) (itself Guard, lines string) {
	itself = Guard{CA: g.CA, Cert: g.Cert, Key: g.Key}
	if g.Password != "" {
		lines += "sentinel auth-pass " + name + " " + g.Password + "\n"
	}
	if g.SentinelPassword != "" {
		lines += "requirepass " + g.SentinelPassword + "\nsentinel sentinel-pass " + g.SentinelPassword + "\n"
	}
	return itself, lines
}
