// Package dashboard has the tests of the server's page in a real browser: Debian's Chromium,
// driven by playwright-core.
//
// A test is written in Go, since it takes locks, stops servers and starts them again. What it
// wants of the browser it asks testdata/browser.mjs for, a line of JSON at a time. Everything
// that it waits for is a condition in the page, never a time.
package dashboard
