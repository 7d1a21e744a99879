package recipes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// The programs in the pages about recipes are whole: each one builds.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"read-write-locks", "semaphores", "many-locks", "election", "barrier", "once", "membership", "discovery"} {
		t.Run(page, func(t *testing.T) { // one after the other: each uses all processors
			text, err := os.ReadFile(filepath.Join("..", "..", "docs", page+".md"))
			if err != nil {
				t.Fatal(err)
			}
			program := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindSubmatch(text)
			if program == nil {
				t.Fatal("there is no program")
			}
			file := filepath.Join(t.TempDir(), "main.go")
			if err = os.WriteFile(file, program[1], 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "go", "vet", file)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd, err, out)
			}
		})
	}
}
