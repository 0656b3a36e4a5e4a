package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pota-project/pota/graphs/record"
	"github.com/pota-project/pota/graphs/simulate"
)

// A model runs with a recorder of the caller's, whose options it then has.
func ExampleRecord() {
	r := record.New(os.Stdout, record.WithFlushLines())
	cfg := simulate.Config{Model: "alternating-bit", Processes: 2, Events: 4, Seed: 1}
	if err := errors.Join(simulate.Record(context.Background(), r, cfg), r.Close()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"pota":1}
	// {"process":"sender","init":{"sent_msg":1,"got_ack":1,"sent":0}}
	// {"process":"receiver","init":{"received_msg":1,"sent_ack":1,"accepted":0}}
	// {"process":"sender","set":{"sent_msg":0,"sent":1},"send":"sender.1","to":"receiver"}
	// {"process":"receiver","set":{"received_msg":0,"accepted":1},"recv":"sender.1"}
	// {"process":"receiver","set":{"sent_ack":0},"send":"receiver.1","to":"sender"}
	// {"process":"sender","set":{"got_ack":0},"recv":"receiver.1"}
}
