// Package checkup finds in lines what somebody should look at: who waits for each other, what has
// stood for too long, and what does not belong there. It asks nobody: it judges what it is given.
package checkup
