package main

import "testing"

func TestPasswordInArgument(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"etcd://me:secret@h":                    "secret",
		"--store=etcds://me:secret@h1,h2/p?a=b": "secret",
		"etcd://me:s:e@c@h":                     "s:e@c",
		"etcd://me:se/cr?et@h":                  "se/cr?et",
		"etcd://me:@h":                          "",
		"etcd://me@h:2379":                      "",
		"etcd://h1:2379,h2:2379/a":              "",
		"me:secret@h":                           "", // no URL
		"a@b://c":                               "",
		"":                                      "",
	} {
		if begin, end := password(arg); arg[begin:end] != want {
			t.Errorf("%q: got %q, want %q", arg, arg[begin:end], want)
		}
	}
}
