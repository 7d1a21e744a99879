// Package redis tests the Redis driver on real servers: that it conforms to the contract,
// and the facts about Redis that it is built on.
package redis
