package etcdembed_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// A store in the program itself, on a free port. Its data stays in the directory.
func ExampleStart() {
	tmp, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)

	server, err := etcdembed.Start(context.Background(), etcdembed.Options{
		Dir:    filepath.Join(tmp, "locks"),
		Listen: "127.0.0.1:0",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	client, err := server.Client() // for the etcd driver
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	members, err := client.MemberList(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(members.Members), "member")
	// Output: 1 member
}
