// Command holdgated runs a store for locks: a member of an etcd cluster, alone on this machine
// or one of several. Programs and the holdgate command lock on it by the address at
// which it listens.
//
// Its options are flags, or variables named after them: --data-dir is also
// HOLDGATED_DATA_DIR. It logs to standard error. Exit codes are in exit.go.
package main

import "os"

func main() { os.Exit(execute(os.Args[1:])) }
