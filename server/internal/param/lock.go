package param

import (
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// AsLock says how a lock is taken.
type AsLock struct {
	Mode    string `query:"mode" enum:"mutex,read,write" doc:"mutex is the default; read and write are the two sides of a read/write lock. A name is used for one kind of lock."`
	Permits int64  `query:"permits" minimum:"1" maximum:"1073741824" doc:"How many permits of a semaphore; with limit."`
	Limit   int64  `query:"limit" minimum:"1" maximum:"1073741824" doc:"How many permits the semaphore has."`
	Reason  string `query:"reason" maxLength:"1024" doc:"What it is taken for, shown to who asks."`
}

// Claim is the claim for a name, without its ID and data.
func (l AsLock) Claim(name string) (driver.Claim, error) {
	c := driver.Claim{Line: name, Kind: driver.KindMutex, Capacity: 1, Units: 1}
	switch {
	case l.Limit > 0 && l.Mode != "" || l.Permits > l.Limit:
		return c, fmt.Errorf("%w: permits are 1 to limit, and go without mode", driver.ErrInvalid)
	case l.Limit > 0:
		c.Kind, c.Capacity, c.Units = driver.KindSemaphore, l.Limit, max(l.Permits, 1)
	case l.Mode == "read":
		c.Kind, c.Capacity = driver.KindRW, driver.MaxCapacity
	case l.Mode == "write":
		c.Kind, c.Capacity, c.Units = driver.KindRW, driver.MaxCapacity, driver.MaxCapacity
	}
	return c, nil
}
