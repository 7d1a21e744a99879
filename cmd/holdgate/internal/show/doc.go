// Package show turns lines and places into what people and programs read: tables,
// a block of lines that is drawn over itself, and JSON.
//
// Names, owners and reasons come from anybody who may write to the store. They are
// never printed as they are: what a terminal could take for a command is quoted.
package show
