package infer

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
)

func TestProf(t *testing.T) {
	var good []Run
	begun := time.Now()
	for i := 1; i <= 3; i++ {
		all, err := format.Read(context.Background(), fmt.Sprintf("/tmp/infer/big/%d.jsonl", i), format.Options{Options: trace.Options{Names: true, Places: true}})
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, Run{Name: fmt.Sprint(i), Computation: all[0].Computation})
	}
	fmt.Println("read", time.Since(begun))
	begun = time.Now()
	res, _ := Infer(context.Background(), good, nil, Options{})
	fmt.Println("infer", time.Since(begun), res.Candidates)
}
