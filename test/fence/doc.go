// Package fence tests the resource's side of a lock on real databases and a real Redis: that
// an older holder is refused at every level of isolation, whoever comes first.
package fence
