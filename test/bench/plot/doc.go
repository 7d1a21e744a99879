// Package plot draws bars and lines as SVG, to be shown in a page of Markdown.
//
// A picture is readable on light pages and on dark ones: it has a ground of its own, and
// colours for both. It says in words what it shows, for whoever does not see it. The same
// numbers give the same bytes.
package plot
