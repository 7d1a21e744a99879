package etcdembed

// isKnown tells messages that say nothing to whoever runs the member: warnings, at every
// start, of what this package has etcd do on purpose, and the end of a listener, which
// Server.Err reports unless it was Close that ended it.
func isKnown(message string) bool {
	switch message {
	case "Running http and grpc server on single port. This is not recommended for production.",
		"simple token is not cryptographically signed",
		"setting up serving from embedded etcd failed.",
		"stopping insecure grpc server due to error", "stopped insecure grpc server due to error",
		"stopping secure grpc server due to error", "stopped secure grpc server due to error":
		return true
	}
	return false
}
