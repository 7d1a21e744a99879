package filedriver

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// A stripe's file holds the last order that was given in its lines: two slots of
// slotLen bytes, each a decimal number and its checksum. The one that counts is the
// greatest that is intact; the other one is overwritten. So a write that was cut
// off destroys only a number that is older than the one in use. A number is written
// before the place that has it is made.
const (
	slotDigits = 20
	slotLen    = slotDigits + 1 + 8 + 1 // number, space, checksum, newline
)

// nextOrder gives an order that was never given in the lines of this stripe, and is
// above seen. After the file was lost, the clock keeps orders growing. The caller
// holds the stripe.
func (s *stripe) nextOrder(seen uint64) (uint64, error) {
	last, older, err := readCounter(s.file)
	if err != nil {
		return 0, err
	}
	now := uint64(max(0, time.Now().UnixMicro()))
	order := max(last+1, seen+1, now)
	if order > maxOrder {
		return 0, fmt.Errorf("%w: the counter in %s is used up", driver.ErrUnavailable, s.path)
	}
	s.disk.before("write", s.path)
	next := slot(order)
	_, err = s.file.WriteAt(next[:], int64(older*slotLen))
	return order, err
}

// readCounter returns the greatest number in a counter file, and which slot does not have
// it.
func readCounter(f *os.File) (last uint64, older int, err error) {
	var buf [2 * slotLen]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return 0, 0, err
	}
	first, firstOK := parseSlot(buf[:min(n, slotLen)])
	second, secondOK := parseSlot(buf[min(n, slotLen):n])
	switch {
	case firstOK && (!secondOK || first > second):
		return first, 1, nil
	case secondOK:
		return second, 0, nil
	}
	return 0, 0, nil
}

// slot is how a number lies in the file.
func slot(order uint64) [slotLen]byte {
	var b [slotLen]byte
	for at, rest := slotDigits-1, order; at >= 0; at-- {
		b[at] = '0' + byte(rest%10)
		rest /= 10
	}
	b[slotDigits] = ' '
	sum := crc32.ChecksumIEEE(b[:slotDigits])
	for at := slotLen - 2; at > slotDigits; at-- {
		b[at] = hexDigits[sum&15]
		sum >>= 4
	}
	b[slotLen-1] = '\n'
	return b
}

// parseSlot undoes slot, and refuses what slot does not write.
func parseSlot(b []byte) (order uint64, ok bool) {
	if len(b) != slotLen {
		return 0, false
	}
	for _, digit := range b[:slotDigits] {
		order = order*10 + uint64(digit-'0') // nonsense is found below
	}
	return order, order <= maxOrder && slot(order) == [slotLen]byte(b)
}
