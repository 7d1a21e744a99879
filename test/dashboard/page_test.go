package dashboard_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"
)

// look is how a page is looked at.
type look struct {
	width, height int
	dark, phone   bool
}

var (
	desk  = look{width: 1280, height: 800}
	night = look{width: 1280, height: 800, dark: true}
	phone = look{width: 360, height: 740, phone: true}
)

// page is a page of one test.
type page struct {
	t    *testing.T
	b    *browser
	id   string
	home string
}

// open opens the dashboard at a view. When the test ends, the page must have done nothing that
// its policy forbids, and asked nobody but its server.
func (b *browser) open(t *testing.T, home, view string, l look) *page {
	t.Helper()
	p := &page{t: t, b: b, id: fmt.Sprintf("%s/%d", t.Name(), b.pages.Add(1)), home: home}
	p.do("open", map[string]any{"width": l.width, "height": l.height, "dark": l.dark, "phone": l.phone, "home": home}, nil)
	t.Cleanup(func() {
		var wrongs []string
		if err := b.ask("close", map[string]any{"page": p.id}, &wrongs); err != nil {
			t.Error(err)
		}
		for _, w := range wrongs {
			t.Errorf("the page did wrong: %s", w)
		}
	})
	p.visit(view)
	return p
}

func (p *page) do(what string, args map[string]any, value any) {
	p.t.Helper()
	with := map[string]any{"page": p.id}
	maps.Copy(with, args)
	if err := p.b.ask(what, with, value); err != nil {
		p.t.Fatalf("%v\nThe page says:\n%s", err, p.text())
	}
}

// text is what can be read on the page, for a message.
func (p *page) text() string {
	var text string
	_ = p.b.ask("eval", map[string]any{"page": p.id, "script": "document.body.innerText"}, &text)
	return text
}

func (p *page) visit(view string) {
	p.t.Helper()
	p.do("goto", map[string]any{"url": p.home + "/" + view}, nil)
}
func (p *page) click(at string)   { p.t.Helper(); p.do("click", map[string]any{"at": at}, nil) }
func (p *page) press(key string)  { p.t.Helper(); p.do("press", map[string]any{"key": key}, nil) }
func (p *page) typed(text string) { p.t.Helper(); p.do("type", map[string]any{"text": text}, nil) }
func (p *page) fill(at, text string) {
	p.t.Helper()
	p.do("fill", map[string]any{"at": at, "text": text}, nil)
}

// until waits until an expression is true.
func (p *page) until(script string) {
	p.t.Helper()
	p.do("until", map[string]any{"script": script, "patience": patience.Milliseconds()}, nil)
}

// sees waits until an element that is shown has all these words, in this order.
func (p *page) sees(at string, words ...string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`[...document.querySelectorAll(%s)].some((el) => { let from = 0; return el.checkVisibility() && %s.every((w) => (from = el.innerText.indexOf(w, from) + 1) > 0); })`,
		quote(at), quote(words)))
}

// misses waits until no element that is shown has these words.
func (p *page) misses(at, words string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`![...document.querySelectorAll(%s)].some((el) => el.checkVisibility() && el.innerText.includes(%s))`, quote(at), quote(words)))
}

func (p *page) eval(script string, value any) {
	p.t.Helper()
	p.do("eval", map[string]any{"script": script}, value)
}

// accessible checks the page with axe, by all of its rules or some.
func (p *page) accessible(view string, rules ...string) {
	p.t.Helper()
	var found []string
	args := map[string]any{}
	if len(rules) > 0 {
		args["rules"] = rules
	}
	p.do("axe", args, &found)
	for _, f := range found {
		p.t.Errorf("axe on %s: %s", view, f)
	}
}

// fits checks that nothing is wider than the screen.
func (p *page) fits(view string) {
	p.t.Helper()
	var widest struct {
		Wide, Screen int
		By           string
	}
	p.eval(`(() => { const d = document.documentElement;
		const by = [...document.querySelectorAll('body *')].find((e) => e.getBoundingClientRect().right > d.clientWidth + 1 && !e.closest('.scroll, .hidden, .skip'));
		return { Wide: d.scrollWidth, Screen: d.clientWidth, By: by?.outerHTML.slice(0, 200) ?? '' }; })()`, &widest)
	if widest.Wide > widest.Screen {
		p.t.Errorf("%s is %d wide on a screen of %d: %s", view, widest.Wide, widest.Screen, widest.By)
	}
}

// took measures how long a step takes, from the outside.
func (p *page) took(step func()) time.Duration {
	begun := time.Now()
	step()
	return time.Since(begun)
}

func quote(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings
	}
	return string(text)
}
