// Package proxy is the network between one client and one server of a test, outside of
// both processes. It can be cut, let nothing through in one direction or in both, be slow,
// or lose the answer to a request that was carried out.
package proxy
