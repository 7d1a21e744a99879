//go:build unix && !race

package filedriver

const manyWaiters = 200
