package redisdriver

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const defaultPrefix = "holdgate"

// Options say where in Redis the locks are. The zero value is the default.
type Options struct {
	// Prefix is what all keys begin with, as the hash tag {Prefix}: so that one primary
	// of a cluster has them all. It has no braces. Default: "holdgate". Programs that
	// shall exclude each other have the same one.
	Prefix string

	// Replicas is how many replicas must have a session, a renewal or a place before its
	// answer counts. With fewer of them within a second a place is given back, and the
	// answer is that the store is unavailable. That makes it rare that a failover forgets
	// a lock, but not impossible: the replica that is promoted may be another one. Default:
	// 0, no replica is waited for.
	Replicas int
}

// withDefaults checks the options, and fills in what was left out.
func (o *Options) withDefaults() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Prefix == "" {
		opts.Prefix = defaultPrefix
	}
	if !utf8.ValidString(opts.Prefix) || strings.ContainsAny(opts.Prefix, "{}\x00") {
		return Options{}, fmt.Errorf("redisdriver: Options.Prefix is UTF-8 without braces and NUL, %q is not", opts.Prefix)
	}
	if opts.Replicas < 0 {
		return Options{}, fmt.Errorf("redisdriver: Options.Replicas is not negative, %d is", opts.Replicas)
	}
	return opts, nil
}
