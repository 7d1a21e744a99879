// Command holdgate takes distributed locks from a shell: it runs a command while it
// holds one, shows who holds what and who waits, and asks holders to go.
//
// It exits with what its command ended with, or with the code of what went wrong:
// see exit.go. Messages go to standard error, results to standard output.
package main

import "os"

func main() { os.Exit(execute(takeArguments())) }
