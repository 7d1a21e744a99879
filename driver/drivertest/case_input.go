package drivertest

import (
	"strings"

	"github.com/holdgate/holdgate/driver"
)

func inputCases() []testCase {
	return []testCase{
		{
			name: "input/bad-names",
			reason: "What is no name is refused by every call, before the store hears of it: an empty one " +
				"would be everything, one with NUL another one (S46).",
			run: inputBadNames,
		},
		{
			name: "input/bad-claims",
			reason: "A claim that makes no sense is refused with a clear error, and nothing is changed. " +
				"Zero permits or more than there are would block the line (S46).",
			run: inputBadClaims,
		},
		{
			name: "input/too-large",
			reason: "Data that is too large is refused by the contract's limit, not by the store's: else it " +
				"works on one store and not on the next (S46).",
			run: inputTooLarge,
		},
	}
}

func badNames() map[string]string {
	return map[string]string{
		"an empty name":             "",
		"a name with NUL":           "a\x00b",
		"a name that is only NUL":   "\x00",
		"a name that is not UTF-8":  "a\xffb",
		"a name of half a letter":   "锁"[:2],
		"a name of a surrogate":     "\xed\xa0\x80",
		"a name of 513 bytes":       strings.Repeat("n", driver.MaxName+1),
		"a name of 171 letters":     strings.Repeat("锁", driver.MaxName/3+1),
		"a name of a million bytes": strings.Repeat("n", 1<<20),
	}
}

func inputBadNames(e *env) {
	a := e.actor()
	good := a.take(mutex("orders"))
	for what, name := range badNames() {
		bad := good
		bad.Line = name
		for _, op := range a.operations(bad) {
			if op.place {
				e.fails(op.call(e.ctx()), driver.ErrInvalid, "%s with %s", op.name, what)
			}
		}
	}
	e.unchanged(a, good)
}

// unchanged checks that the store has this one place and no other.
func (e *env) unchanged(a *actor, p driver.Place) {
	e.Helper()
	got := a.stands(p.Line, p).Places[0]
	if e.Layout == driver.LayoutSingle {
		return
	}
	e.same(got, p, "the only place, after calls that were refused")
	if lines := names(e.list(a.drv, driver.Query{Prefix: true})); len(lines) != 1 {
		e.Errorf("after calls that were refused the store lists %q, want only %q", lines, p.Line)
	}
	a.has(p)
}

func inputBadClaims(e *env) {
	a := e.actor()
	good := a.take(mutex("orders"))
	for _, bad := range []struct {
		what   string
		change func(*driver.Claim)
	}{
		{"no ID", func(c *driver.Claim) { c.ID = "" }},
		{"an ID that is too short", func(c *driver.Claim) { c.ID = c.ID[:31] }},
		{"an ID that is too long", func(c *driver.Claim) { c.ID += "0" }},
		{"an ID in capitals", func(c *driver.Claim) { c.ID = strings.Repeat("A", 32) }},
		{"an ID that is a path", func(c *driver.Claim) { c.ID = "../" + c.ID[3:] }},
		{"no kind", func(c *driver.Claim) { c.Kind = "" }},
		{"a kind with a digit", func(c *driver.Claim) { c.Kind = "mutex2" }},
		{"a kind of 17 letters", func(c *driver.Claim) { c.Kind = "abcdefghijklmnopq" }},
		{"a capacity of 0", func(c *driver.Claim) { c.Capacity, c.Units = 0, 0 }},
		{"a negative capacity", func(c *driver.Claim) { c.Capacity, c.Units = -1, -1 }},
		{"a capacity that is too large", func(c *driver.Claim) { c.Capacity = driver.MaxCapacity + 1 }},
		{"negative units", func(c *driver.Claim) { c.Units = -1 }},
		{"more units than capacity", func(c *driver.Claim) { c.Units = 2 }},
		{"data that is no JSON", func(c *driver.Claim) { c.Data = []byte("{") }},
		{"data that is two values", func(c *driver.Claim) { c.Data = []byte("1 2") }},
	} {
		c := mutex("invoices")
		bad.change(&c)
		_, err := a.ses.Enter(e.ctx(), c)
		e.fails(err, driver.ErrInvalid, "Enter with %s", bad.what)
		_, err = a.ses.Enter(e.ctx(), try(c))
		e.fails(err, driver.ErrInvalid, "a try with %s", bad.what)
		c.Line = "orders"
		_, err = a.ses.Swap(e.ctx(), good, c)
		e.fails(err, driver.ErrInvalid, "Swap with %s", bad.what)
	}
	e.unchanged(a, good)
	a.stands("invoices")
}

func inputTooLarge(e *env) {
	a := e.actor()
	good := a.take(mutex("orders"))
	for _, size := range []int{driver.MaxData + 1, 1 << 20} {
		c := mutex("invoices")
		c.Data = jsonOf("a", size)
		a.refused(c, driver.ErrTooLarge)
		a.refused(try(c), driver.ErrTooLarge)
		c.Line = "orders"
		_, err := a.ses.Swap(e.ctx(), good, c)
		e.fails(err, driver.ErrTooLarge, "Swap with %d bytes of data", size)
	}
	e.unchanged(a, good)
	a.stands("invoices")
}
