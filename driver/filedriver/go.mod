module github.com/holdgate/holdgate/driver/filedriver

go 1.26.0

require (
	github.com/holdgate/holdgate v0.0.0
	golang.org/x/sys v0.50.0
)
