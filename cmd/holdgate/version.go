package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// versionView is the version in JSON.
type versionView struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Prints the version. With --json it is one document: {"version", "revision", "modified", "go",
"system"}.`,
		Example:           `  holdgate version --json`,
		Args:              takes(0, 0, "no arguments", ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return show.Document(os.Stdout, version())
			}
			return printVersion()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return cmd
}

func printVersion() error {
	v := version()
	_, err := fmt.Printf("holdgate %s, %s, %s\n", v.Version, v.Go, v.System)
	return err
}

// version is what the compiler noted in the program.
func version() versionView {
	v := versionView{Version: "unknown", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
