module github.com/holdgate/holdgate/cmd/holdgate

go 1.26.0

require (
	github.com/creack/pty v1.1.24
	github.com/holdgate/holdgate v0.0.0
	github.com/holdgate/holdgate/driver/filedriver v0.0.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
