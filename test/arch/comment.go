package arch

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// packageComments returns the files of a directory that carry its package comment,
// whatever system they are for. Tests count only where there is nothing else.
func packageComments(dir string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var code []string
	for _, file := range all {
		if !strings.HasSuffix(file, "_test.go") {
			code = append(code, file)
		}
	}
	if len(code) == 0 {
		code = all
	}
	var commented []string
	for _, file := range code {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if f.Doc != nil {
			commented = append(commented, filepath.Base(file))
		}
	}
	return commented, nil
}
