// Package examples runs the programs of the folder examples, as their readers will.
package examples
