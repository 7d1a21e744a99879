// Package lockmodel judges a recorded history by Porcupine: is there an order of all that
// happened, in which a lock that is granted to one at a time, with increasing tokens, and
// a register that checks them, behave as was seen?
//
// It is the second judge beside internal/history, and an independent one: it searches for
// an order, and shares none of the other's rules.
package lockmodel
