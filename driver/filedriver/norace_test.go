//go:build !race

package filedriver

const manyWaiters = 200
