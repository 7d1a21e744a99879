package main

import (
	"os"
	"strings"
)

// takeArguments returns the arguments, and hides the passwords in them from other users, who
// see the command lines of all processes.
func takeArguments() []string {
	args := make([]string, 0, len(os.Args))
	for _, arg := range os.Args[1:] {
		args = append(args, strings.Clone(arg))
		if begin, end := password(arg); begin < end {
			overwrite(arg, begin, end)
		}
	}
	return args
}

// password finds the password of a URL in an argument: what stands between the first colon
// after "://" and the last "@". It is empty when there is none.
func password(arg string) (begin, end int) {
	scheme := strings.Index(arg, "://")
	last := strings.LastIndexByte(arg, '@')
	if scheme < 0 || last < scheme {
		return 0, 0
	}
	scheme += len("://")
	colon := strings.IndexByte(arg[scheme:last], ':')
	if colon < 0 {
		return 0, 0
	}
	return scheme + colon + 1, last
}
