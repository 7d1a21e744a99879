package dashboard_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/server"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// TestDashboard has all tests of the page, since they share a browser.
func TestDashboard(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	for name, test := range map[string]func(*testing.T, *browser){
		"live": testLive, "etcd": testLiveOnEtcd, "evict": testEvict, "cycle": testCycle, "keyboard": testKeyboard, "phone": testPhone, "axe": testAxe,
		"many": testMany, "restart": testRestart, "denied": testDenied, "empty": testEmpty, "names": testNames, "frozen": testFrozen,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they are done before the browser is closed: a test waits for its parts
			test(t, b)
		})
	}
}

func testLive(t *testing.T, b *browser) { live(b, newFleet(t, server.Options{})) }

// What the watch of a real store tells is merged differently.
func testLiveOnEtcd(t *testing.T, b *browser) {
	drv, err := etcddriver.New(etcdserver.Start(t, 1).Client(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = drv.Close() })
	live(b, fleetOver(t, drv, server.Options{}))
}

// A lock that is taken shows up by itself, and is handed over before one's eyes.
func live(b *browser, f *fleet) {
	t := f.t
	ann, bob := f.session("ann@host"), f.session("bob@host")
	p := b.open(t, f.home, "#/lines", desk)
	p.sees("#link", "live")
	p.sees("main", "Nobody holds anything")
	held := f.lock(ann, "orders/42", note{Reason: "refund"})
	p.sees("tbody tr", "orders/42", "ann@host", "refund")
	f.lock(bob, "orders/42", note{})
	p.sees("tbody tr", "orders/42", "ann@host", "1")
	p.click("text=orders/42")
	p.sees("h1", "orders/42")
	p.sees("tbody tr:nth-child(1)", "ann@host", "holds")
	p.sees("tbody tr:nth-child(2)", "bob@host", "waits")
	f.leave(ann, held)
	p.sees("tbody tr:nth-child(1)", "bob@host", "holds")
	p.misses("table[aria-label^='The line']", "ann@host")
	p.sees("[aria-label='Grants']", "ann@host") // who held before is still told
	p.sees("main", "Held by bob@host")
}

// Evicting asks first, wants a reason, and does what it says.
func testEvict(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	ann, bob, eve := f.session("ann@host"), f.session("bob@host"), f.session("eve@host")
	for _, s := range []driver.Session{ann, bob, eve} {
		f.lock(s, "orders/42", note{})
	}
	p := b.open(t, f.home, "#/line?name=orders/42", desk)
	at := func(owner string) int { return f.find("orders/42", owner) }

	p.click("button[aria-label='Remove… eve@host, place 3']")
	p.sees("dialog", "Remove eve@host from the line", "It waits")
	p.press("Escape")
	p.misses("dialog", "eve@host")
	if at("eve@host") < 0 {
		t.Fatal("who was not confirmed to go has gone")
	}

	p.click("button[aria-label='Remove… eve@host, place 3']")
	p.fill("dialog textarea", "stuck since noon")
	p.click("dialog button[type=submit]")
	p.misses("table[aria-label^='The line']", "eve@host")
	if at("eve@host") >= 0 {
		t.Error("who was removed still waits")
	}

	p.click("button[aria-label='Ask to go… ann@host, place 1']")
	p.sees("dialog", "Ask ann@host to give up", "It keeps the lock until it gives it back")
	p.click("dialog button[type=submit]") // without a reason nothing is sent
	p.sees("dialog", "Why?")
	p.fill("dialog textarea", "we deploy")
	p.fill("dialog input[type=text]", "carl")
	p.click("dialog button[type=submit]")
	p.sees("tbody tr:nth-child(1)", "ann@host", "asked to go", "carl: we deploy")
	p.sees("#said", "ann@host was asked to give up orders/42")
	marks, err := ann.Renew(t.Context())
	if err != nil || len(marks) != 1 || marks[0].Reason != "we deploy" || marks[0].By != "carl" || marks[0].Force {
		t.Errorf("its renewal tells %+v, %v", marks, err)
	}

	p.click("button[aria-label='Ask to go… ann@host, place 1']")
	p.click("dialog input[type=checkbox]")
	p.sees("dialog", "Two may then hold at once")
	p.fill("dialog textarea", "it is dead")
	p.click("dialog button[type=submit]")
	p.sees("tbody tr:nth-child(1)", "bob@host", "holds")
}

// find returns where in a line somebody stands, or -1.
func (f *fleet) find(line, owner string) int {
	f.t.Helper()
	l, err := f.drv.Line(f.t.Context(), line)
	if err != nil {
		f.t.Fatal(err)
	}
	for i, p := range l.Places {
		if p.Owner == owner {
			return i
		}
	}
	return -1
}

// A deadlock is the first thing one sees, is drawn, and can be ended there.
func testCycle(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	p := b.open(t, f.home, "#/lines", desk)
	p.sees("main", "Nobody waits")
	f.circle(f.session("ann@host"), f.session("bob@host"), "x", "y")
	p.sees(".attention", "Look at this first", "deadlock", "waits for")
	p.click("text=See who waits for whom")
	p.sees("figure", "deadlock", "holds", "waits for")
	p.until("document.querySelectorAll('figure svg .arrow.stuck').length === 4 && document.querySelectorAll('figure svg .box').length === 4")
	p.until("document.querySelectorAll('.scroll svg .arrow.stuck').length === 4") // in the chain, too
	p.click("figure button")
	p.fill("dialog textarea", "deadlock")
	p.click("dialog button[type=submit]")
	p.sees("#deadlocks", "No deadlock")
	p.visit("#/line?name=x")
	p.misses("main", "deadlock")
}

// Nothing needs a mouse.
func testKeyboard(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	ann := f.session("ann@host")
	for i := range 5 {
		f.lock(ann, fmt.Sprintf("orders/%d", i), note{})
	}
	f.lock(ann, "other", note{})
	p := b.open(t, f.home, "#/lines", desk)
	p.sees("tbody tr", "other")
	p.press("Tab")
	p.until("document.activeElement.id === 'skip'")
	p.press("/")
	p.typed("ORDERS")
	p.misses("tbody", "other")
	for range 20 { // over the filters and the headings to the first row
		var in bool
		if p.eval("document.activeElement.closest('tbody') !== null", &in); in {
			break
		}
		p.press("Tab")
	}
	p.press("ArrowDown")
	p.until("document.activeElement.closest('tr')?.previousElementSibling !== null && document.activeElement.textContent === 'orders/1'")
	p.press("Enter")
	p.sees("h1", "orders/1")
	p.until("document.activeElement.tagName === 'H1'") // a screen reader says where one is
	for range 20 {
		var in bool
		if p.eval("document.activeElement.textContent.startsWith('Ask to go')", &in); in {
			break
		}
		p.press("Tab")
	}
	p.press("Enter")
	p.until("document.activeElement.tagName === 'TEXTAREA' && document.activeElement.closest('dialog[open]') !== null")
	p.typed("by hand")
	p.press("Tab")
	p.press("Tab")
	p.press("Tab")
	p.press("Tab")
	p.until("document.activeElement.type === 'submit'")
	p.press("Enter")
	p.sees("tbody tr", "ann@host", "asked to go")
	p.until("document.activeElement.textContent.startsWith('Ask to go')") // back to where one was
}

// On a phone nothing is wider than the screen.
func testPhone(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	f.everything()
	f.lock(f.session("somebody-with-a-very-long-name@a-host-with-a-very-long-name.example.internal:123456"),
		"a/very/long/name/of/a/lock/that/goes/on/and/on/and/on/and-has-a-long-last-part-too", note{Reason: "a reason that is not short either, and says at length why it is so"})
	p := b.open(t, f.home, "#/lines", phone)
	for _, view := range views() {
		p.settled(view)
		p.fits(view)
	}
	p.accessible("one line") // on a phone its table is a list of cards
	p.click("text=/^Ask to go/")
	p.sees("dialog", "give up")
	p.fits("the dialog")
}

// settled shows a view, and waits until it has what the server was asked for.
func (p *page) settled(view string) {
	p.t.Helper()
	p.visit(view)
	p.sees("#link", "live")
	p.until("document.querySelector('main h1') !== null && document.querySelector('main').ariaBusy !== 'true' && !document.body.innerText.includes('Asking the server')")
}

// axe finds nothing serious in any view, and its contrast is enough by night, too.
func testAxe(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	f.everything()
	for name, c := range map[string]struct {
		look  look
		rules []string
	}{"day": {desk, nil}, "night": {night, []string{"color-contrast"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := b.open(t, f.home, "#/lines", c.look)
			for _, view := range views() {
				p.settled(view)
				p.accessible(view, c.rules...)
			}
			p.click("text=/^(Ask to go|Remove)/")
			p.sees("dialog", "Why?")
			p.accessible("the dialog", c.rules...)
		})
	}
}

// With 10,000 lines it is still a tool. What is usual is in docs/dashboard.md; the bound is
// for a machine that does much else.
func testMany(t *testing.T, b *browser) {
	const lines, bound = 10_000, patience / 2
	f := newFleet(t, server.Options{})
	ann, bob := f.session("ann@host"), f.session("bob@host")
	for i := range lines {
		f.lock(ann, fmt.Sprintf("tenant/%05d/sync", i), note{})
	}
	p := b.open(t, f.home, "#/lines", desk)
	steps := map[string]time.Duration{}
	steps["first sight"] = p.took(func() { p.sees("main", "10,000", "tenant/00000/sync") })
	steps["search"] = p.took(func() {
		p.fill("input[type=search]", "09999")
		p.sees("tbody tr", "tenant/09999/sync")
		p.misses("tbody", "tenant/00000/sync")
	})
	steps["a change"] = p.took(func() {
		f.lock(bob, "tenant/09999/sync", note{})
		p.sees("tbody tr", "tenant/09999/sync", "1")
	})
	steps["sort"] = p.took(func() {
		p.fill("input[type=search]", "")
		p.click("th button:text('Name')")
		p.click("th button:text('Name')")
		p.sees("tbody tr:first-child", "tenant/09999/sync")
	})
	steps["next page"] = p.took(func() {
		p.click("button:text('Next')")
		p.sees("tbody tr:first-child", "tenant/09899/sync")
	})
	steps["scroll"] = p.took(func() {
		p.eval("new Promise((done) => { let n = 0; const step = () => { scrollBy(0, 200); if (++n < 30) requestAnimationFrame(step); else done(null); }; step(); })", nil)
	})
	var rows int
	if p.eval("document.querySelectorAll('tbody tr').length", &rows); rows != 100 {
		t.Errorf("%d rows are in the page, want 100", rows)
	}
	for step, took := range steps {
		t.Logf("%s: %v", step, took.Round(time.Millisecond))
		if took > bound {
			t.Errorf("%s took %v, more than %v", step, took, bound)
		}
	}
}

// A page says since when it shows what is no more sure, and goes on by itself.
func testRestart(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	ann := f.session("ann@host")
	held := f.lock(ann, "orders/42", note{})
	p := b.open(t, f.home, "#/line?name=orders/42", desk)
	p.sees("tbody tr", "ann@host", "holds")
	p.until("!document.querySelector('tbody button').disabled")
	f.stop()
	p.sees("#link", "not live since")
	p.sees("#banner", "Not live", "What you see is how it was at", "Try now")
	p.sees("tbody tr", "ann@host", "holds") // as it was
	p.until("document.querySelector('tbody button').disabled")
	f.leave(ann, held)
	f.lock(f.session("bob@host"), "orders/42", note{})
	f.start(server.Options{})
	p.sees("#link", "live")
	p.sees("tbody tr", "bob@host", "holds")
	p.misses("#banner", "Not live")
	p.misses("table[aria-label^='The line']", "ann@host")
}

// Who is not known is asked for a token, and who may see a part is asked for which.
func testDenied(t *testing.T, b *browser) {
	token := "a-token-of-a-person-who-looks"
	sum := sha256.Sum256([]byte(token))
	access, err := server.NewAccess([]server.Caller{{Name: "carl", TokenSHA256: sum[:], Rights: []server.Right{{Verbs: []server.Verb{server.VerbRead}, Prefix: "orders/"}}}})
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(t, server.Options{Access: access})
	ann := f.session("ann@host")
	f.lock(ann, "orders/42", note{})
	f.lock(ann, "secret/1", note{})
	p := b.open(t, f.home, "#/lines", desk)
	p.sees("h1", "wants to know who you are")
	p.accessible("the door")
	p.fill("input[type=password]", "wrong")
	p.click("main button")
	p.sees("main", "was not accepted")
	p.fill("input[type=password]", token)
	p.click("main button")
	p.sees("h1", "You may not see this")
	p.fill("main input[type=text]", "orders/")
	p.click("main button")
	p.sees("tbody tr", "orders/42", "ann@host")
	p.misses("main", "secret/1")
	p.sees("#link", "only orders/")
	p.click("text=orders/42")
	p.click("text=/^Ask to go/")
	p.fill("dialog textarea", "because")
	p.click("dialog button[type=submit]")
	p.sees("dialog .wrong", "You may not", "evict")
	var kept []string
	p.eval("[...Object.values(localStorage), document.cookie, location.href].filter((v) => v.includes("+quote(token)+"))", &kept)
	if len(kept) > 0 {
		t.Errorf("the token is kept where it outlives the tab: %q", kept)
	}
}

// A view without anything says so.
func testEmpty(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	p := b.open(t, f.home, "#/lines", phone)
	for view, words := range map[string]string{
		"#/lines": "Nobody holds anything", "#/waits": "No deadlock", "#/sessions": "No session", "#/elections": "There is no election",
		"#/services": "No group has a member", "#/line?name=nothing": "Nobody stands in this line", "#/session?id=gone": "stands in no line any more",
		"#/store": "The store answers",
	} {
		p.settled(view)
		p.sees("main", words)
		p.fits(view)
	}
}

// Names and owners are text, whatever is in them.
func testNames(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	name := `<img src=x onerror=alert(1)>/"&'#?%2F/` + "\u202e\u0007 Łódź"
	f.lock(f.session("<script>alert(2)</script>"), name, note{Reason: "<b>bold</b>"})
	p := b.open(t, f.home, "#/lines", desk)
	p.sees("tbody tr", `<img src=x onerror=alert(1)>/"&'#?%2F/\u{202e}\u{7} Łódź`, "<script>alert(2)</script>", "<b>bold</b>")
	p.click("tbody a")
	p.sees("h1", `<img src=x onerror=alert(1)>`)
	p.sees("tbody tr", "<script>alert(2)</script>", "holds")
	var made int
	if p.eval("document.querySelectorAll('main img, main script, main b').length", &made); made != 0 {
		t.Errorf("%d elements were made of names", made)
	}
}

// Rows hold still while they are pointed at.
func testFrozen(t *testing.T, b *browser) {
	f := newFleet(t, server.Options{})
	ann, bob := f.session("ann@host"), f.session("bob@host")
	f.lock(ann, "a", note{})
	f.lock(ann, "b", note{})
	p := b.open(t, f.home, "#/lines", desk)
	p.sees("tbody tr:first-child", "a")
	p.do("hover", map[string]any{"at": "tbody tr:first-child"}, nil)
	f.lock(bob, "b", note{}) // now it would be the first
	p.sees("tbody tr:nth-child(2)", "b", "1")
	p.do("hover", map[string]any{"at": "h1"}, nil)
	p.sees("tbody tr:first-child", "b", "1")
}
