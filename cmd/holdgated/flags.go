package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// accessFlags say how a member on this machine is reached: the server listens by them, and
// the other commands, given the same, connect.
type accessFlags struct {
	listen, user, passwordFile string
	tls                        etcdembed.TLS
}

func (f *accessFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.listen, "listen", "127.0.0.1:2379", "the `address` for clients: host:port, or unix:///path")
	flags.StringVar(&f.tls.Cert, "tls-cert", "", "`file` with the certificate shown to clients")
	flags.StringVar(&f.tls.Key, "tls-key", "", "`file` with its key")
	flags.StringVar(&f.tls.CA, "tls-ca", "", "`file` with the authorities of clients; with it they need a certificate")
	flags.StringVar(&f.user, "user", "", "`name` that clients log in with; set up by the first start")
	flags.StringVar(&f.passwordFile, "password-file", "", "`file` with the password of --user")
}

// fill sets what these flags decide.
func (f *accessFlags) fill(o *etcdembed.Options) error {
	o.Listen, o.TLS, o.User = f.listen, f.tls, f.user
	if f.passwordFile == "" {
		return nil
	}
	text, err := os.ReadFile(f.passwordFile)
	if err != nil {
		return usage("--password-file: %w", err)
	}
	if o.Password = strings.TrimRight(string(text), "\r\n"); o.Password == "" {
		return usage("--password-file: %s is empty", f.passwordFile)
	}
	return nil
}

// memberFlags say how a member is run.
type memberFlags struct {
	accessFlags
	dataDir, name, advertise, peerListen, peerAdvertise string
	cluster, join                                       []string
	peerTLS                                             etcdembed.TLS
	quota                                               int64
}

func (f *memberFlags) register(flags *pflag.FlagSet) {
	f.accessFlags.register(flags)
	registerDataDir(flags, &f.dataDir)
	flags.StringVar(&f.advertise, "advertise", "", "the `address` by which other machines reach --listen (default: that)")
	flags.StringVar(&f.peerListen, "peer-listen", "", "the `address` for other members; not needed by one alone")
	flags.StringVar(&f.peerAdvertise, "peer-advertise", "", "the `address` by which they reach it (default: --peer-listen)")
	flags.StringVar(&f.name, "name", "", "`name` of this member in lists (default: its peer address)")
	flags.StringSliceVar(&f.cluster, "cluster", nil, "peer `addresses` of all members of a new cluster, this one's too: the same for each")
	flags.StringSliceVar(&f.join, "join", nil, "client `addresses` of a cluster to become a member of")
	flags.StringVar(&f.peerTLS.Cert, "peer-tls-cert", "", "`file` with the certificate for other members")
	flags.StringVar(&f.peerTLS.Key, "peer-tls-key", "", "`file` with its key")
	flags.StringVar(&f.peerTLS.CA, "peer-tls-ca", "", "`file` with the authority of all members")
	flags.Int64Var(&f.quota, "quota", 4<<30, "how many `bytes` the data may take")
}

func registerDataDir(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, "data-dir", "", "`directory` of the data; only its owner may enter it (default: "+defaultDirHelp+")")
}

func (f *memberFlags) options() (etcdembed.Options, error) {
	o := etcdembed.Options{
		Name: f.name, Advertise: f.advertise, ListenPeer: f.peerListen, AdvertisePeer: f.peerAdvertise,
		Cluster: f.cluster, Join: f.join, PeerTLS: f.peerTLS, Quota: f.quota,
	}
	if err := f.fill(&o); err != nil {
		return o, err
	}
	var err error
	o.Dir, err = dataDir(f.dataDir)
	return o, err
}

// asFlag says in the words of the command line which option is wrong.
func asFlag(err error) error {
	var wrong *etcdembed.OptionError
	if !errors.As(err, &wrong) {
		return err
	}
	return usage("--%s: %s", flagOf(wrong.Field), wrong.Reason)
}

func flagOf(field string) string {
	switch field {
	case "Dir":
		return "data-dir"
	case "ListenPeer":
		return "peer-listen"
	case "AdvertisePeer":
		return "peer-advertise"
	case "Password":
		return "password-file"
	}
	field = strings.Replace(field, "PeerTLS", "peer-tls", 1) // PeerTLS.Cert, TLS.Cert
	return strings.ToLower(strings.ReplaceAll(field, ".", "-"))
}
