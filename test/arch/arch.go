// Package arch is the architecture as a test: who may import whom, what each module
// may require, how packages are named and commented.
//
// The rules are in rules.go. A package that no rule speaks of is an error, so that
// whoever adds one says where it belongs.
package arch

import (
	"path"
	"slices"
	"strings"
)

// ours is the path that all modules of this repository begin with.
const ours = "github.com/holdgate/holdgate"

// pkg is what the rules need to know of a package.
type pkg struct {
	path     string
	name     string
	standard bool
	// imports are those of the package itself, testImports those of its tests.
	imports, testImports []string
}

// graph holds packages of ours and all they are built from, by import path.
type graph map[string]pkg

// ours returns the packages of this repository, sorted.
func (g graph) ours() []pkg {
	var found []pkg
	for _, p := range g {
		if isOurs(p.path) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b pkg) int { return strings.Compare(a.path, b.path) })
	return found
}

// needs returns all that a package is built from, itself left out.
func (g graph) needs(p pkg) []string {
	seen := map[string]bool{}
	var visit func(imports []string)
	visit = func(imports []string) {
		for _, path := range imports {
			if !seen[path] {
				seen[path] = true
				visit(g[path].imports)
			}
		}
	}
	visit(p.imports)
	return sortedKeys(seen)
}

// isStandard reports whether a path is of the standard library. Imports of tests are
// not loaded, so their first element has to tell: only others have a dot in it.
func (g graph) isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return g[importPath].standard || !strings.Contains(first, ".")
}

func isOurs(importPath string) bool { return within(importPath, ours) }

// within reports whether a path is root or below it.
func within(importPath, root string) bool {
	return importPath == root || strings.HasPrefix(importPath, root+"/")
}

// matches reports whether one of the patterns covers a path. A pattern is a path,
// or with /... at its end a path and all below it.
func matches(patterns []string, importPath string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if root, ok := strings.CutSuffix(pattern, "/..."); ok {
			return within(importPath, root)
		}
		return importPath == pattern
	})
}

// inRepo returns the paths of ours with the repository's own path in front.
func inRepo(patterns []string) []string {
	full := make([]string, len(patterns))
	for i, p := range patterns {
		full[i] = path.Join(ours, p)
	}
	return full
}
