package main

import (
	"net"
	"os"

	"github.com/spf13/pflag"

	"github.com/holdgate/holdgate/cmd/holdgate/storeurl"
	"github.com/holdgate/holdgate/server"
)

// webFlags say how the HTTP API is served, and over which store.
type webFlags struct {
	listen, access, store string
	cert, key, ca         string
}

func (f *webFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.listen, "http", "", "the `address` of the HTTP API, such as 127.0.0.1:8080; without it there is none")
	flags.StringVar(&f.access, "http-access", "", "`file` that says who may do what; read again on SIGHUP")
	flags.StringVar(&f.cert, "http-tls-cert", "", "`file` with the certificate shown to HTTP clients; read again on SIGHUP")
	flags.StringVar(&f.key, "http-tls-key", "", "`file` with its key")
	flags.StringVar(&f.ca, "http-tls-ca", "", "`file` with the authorities of HTTP clients that have a certificate")
	flags.StringVar(&f.store, "store", "", "serve the HTTP API over the store of this `URL`, as for holdgate, and run no store")
}

// check reports what is wrong with the flags, and reads all the files that they name.
func (f *webFlags) check() error {
	if f.store != "" {
		if f.listen == "" {
			return usage("--http: is required with --store")
		}
		if err := storeurl.Check(f.store, os.Getenv); err != nil {
			return usage("--store: %w", err)
		}
	}
	if f.listen == "" {
		if f.access+f.cert+f.key+f.ca != "" {
			return usage("--http: is required with --http-access and --http-tls-...")
		}
		return nil
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return usage("--http: is host:port, not %q", f.listen)
	}
	ip := net.ParseIP(host)
	if f.access == "" && (ip == nil || !ip.IsLoopback()) && host != "localhost" {
		return usage("--http-access: is required where other machines reach --http")
	}
	if _, err := f.readAccess(); err != nil {
		return err
	}
	_, err = f.readTLS()
	return err
}

// readAccess reads who may do what; nil is everybody everything.
func (f *webFlags) readAccess() (*server.Access, error) {
	if f.access == "" {
		return nil, nil //nolint:nilnil // no access is an answer: everybody may do everything
	}
	a, err := server.ReadAccess(f.access, os.Getenv)
	if err != nil {
		return nil, usage("--http-access: %w", err)
	}
	return a, nil
}
