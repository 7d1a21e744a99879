// Package param has the parameters that several operations of the API share. They are
// embedded, and the framework looks into exported types only.
package param
