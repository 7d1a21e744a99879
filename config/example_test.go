package config_test

import (
	"context"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/config"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// A setting that every process follows, with a check that keeps nonsense out.
func ExampleOpen() {
	ctx := context.Background()
	drv := memdriver.New() // in a program: etcddriver, zkdriver, redisdriver, filedriver
	defer drv.Close()
	settings, err := config.New(drv, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	changed := make(chan time.Duration, 1)
	timeout, err := config.Open(ctx, settings, "web/timeout", &config.ValueOptions[time.Duration]{
		Default: new(5 * time.Second),
		Decode:  func(text []byte) (time.Duration, error) { return time.ParseDuration(string(text)) },
		Validate: func(d time.Duration) error {
			if d <= 0 {
				return fmt.Errorf("%v is no timeout", d)
			}
			return nil
		},
		OnChange: func(d time.Duration) { changed <- d },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer timeout.Close()
	fmt.Println(timeout.Get())

	// Somebody else, in another process:
	if _, err := settings.Put(ctx, "web/timeout", []byte("30s")); err != nil {
		fmt.Println(err)
		return
	}
	<-changed
	fmt.Println(timeout.Get())
	// Output:
	// 5s
	// 30s
}

// Change a setting only if nobody else did since it was read.
func ExampleConfig_PutIf() {
	ctx := context.Background()
	drv := memdriver.New()
	defer drv.Close()
	settings, err := config.New(drv, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := settings.PutIf(ctx, "replicas", []byte("3"), 0) // 0: it is not there yet
	fmt.Println(e.Key, err)
	_, err = settings.PutIf(ctx, "replicas", []byte("4"), e.Version)
	fmt.Println(err)
	_, err = settings.PutIf(ctx, "replicas", []byte("5"), e.Version)
	fmt.Println(err)
	// Output:
	// replicas <nil>
	// <nil>
	// config: put "replicas": version conflict: key "holdgate.config/replicas" has version 2, not 1
}
