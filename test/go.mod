module github.com/holdgate/holdgate/test

go 1.26.0

require (
	github.com/holdgate/holdgate v0.0.0
	github.com/holdgate/holdgate/driver/filedriver v0.0.0
)

require golang.org/x/sys v0.50.0 // indirect
