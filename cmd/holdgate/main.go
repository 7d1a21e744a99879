// Command holdgate takes distributed locks from a shell.
package main

func main() {}
