package lint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

func read(t *testing.T, text string) *graphs.Computation {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), file, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", `{"process":"P","send":"m","set":{"x":1}}` + "\n" + `{"process":"Q","recv":"m"}`, nil},
		{"one process", `{"process":"P","set":{"x":1}}`, nil},
		{"lower bound", `{"pota":1,"lower_bound":"spans"}` + "\n" + `{"process":"P"}`, []string{
			"lower-bound: causality is only a lower bound of the real one: spans []",
		}},
		{"lost", `{"process":"P","send":["m","n"],"to":"Q"}` + "\n" + `{"process":"Q","recv":"m"}` + "\n" + `{"process":"Q","send":["a","b"]}`, []string{
			"lost: 1 message from P to Q is never received, sent by P:1 [P:1]",
			"lost: 2 messages from Q are never received, sent by Q:2, Q:2 [Q:2 Q:2]",
		}},
		{"alone", `{"process":"P","send":"m"}` + "\n" + `{"process":"Q","recv":"m"}` + "\n" + `{"process":"R"}` + "\n" + `{"process":"S","init":{}}`, []string{
			"alone: no message or other causality between the others and R []",
			"idle: no event of S []",
		}},
		{"all alone", `{"process":"P"}` + "\n" + `{"process":"Q"}` + "\n" + `{"process":"R","init":{}}`, []string{
			"alone: no message or other causality between any of the 2 processes []",
			"idle: no event of R []",
		}},
		{"together", `{"process":"P","sync":"s"}` + "\n" + `{"process":"Q","sync":"s"}`, nil},
		{"sync", `{"process":"P","sync":"s","id":"p"}`, []string{"sync: p has a sync that no event of another process has [p]"}},
		{"namesake", `{"process":"node-1","send":"m"}` + "\n" + `{"process":"Node1","recv":"m"}` + "\n" + `{"process":"node11","sync":"s"}` + "\n" + `{"process":"node 1 1","sync":"s"}`, []string{
			"namesake: node-1, Node1 are different processes: are they meant to be? []",
		}},
		{"constant", `{"process":"P","send":"m","set":{"x":0,"y":0,"z":true}}` + "\n" + `{"process":"P","set":{"x":0,"y":0}}` + "\n" + `{"process":"Q","recv":"m","set":{"x":0,"y":1}}` + "\n" + `{"process":"Q","set":{"x":0}}`, []string{
			"constant: x is assigned, but never changes on any process []",
			"constant: y is assigned, but never changes on P []",
		}},
		{"shared constant", `{"shared":{"t":1}}` + "\n" + `{"process":"P","set":{"t":1}}` + "\n" + `{"process":"P","set":{"t":1}}`, []string{"constant: the shared variable t is assigned, but never changes []"}},
		{"clocks", `{"process":"P","time":2,"send":"m"}` + "\n" + `{"process":"P","time":1.5,"send":"n"}` + "\n" + `{"process":"Q","time":1.75,"recv":"m"}` + "\n" + `{"process":"Q","time":1.75,"recv":"n"}`, []string{
			"clock: the clock of P runs backwards once, by at most 500ms, at P:2 [P:2]",
			"clock: 1 of 2 edges between processes go backwards in time, by at most 250ms: P:1 happened before Q:1 [P:1 Q:1]",
		}},
		{"chain", `{"process":"P","time":3,"send":"m"}` + "\n" + `{"process":"Q","recv":"m","send":"n"}` + "\n" + `{"process":"R","time":2,"recv":"n","send":"o"}` + "\n" + `{"process":"S","time":1,"recv":"o"}`, []string{
			"clock: 1 of 1 edge between processes go backwards in time, by at most 1s: R:1 happened before S:1 [R:1 S:1]",
			"clock: no --skew below 2s explains that P:1 happened before S:1 [P:1 S:1]",
		}},
		{"offset", `{"process":"P","time":3,"send":"m"}` + "\n" + `{"process":"Q","time":13.5,"recv":"m","send":"n"}` + "\n" + `{"process":"P","time":4,"recv":"n"}`, []string{
			"clock: 1 of 2 edges between processes go backwards in time, by at most 9.5s: Q:1 happened before P:2 [Q:1 P:2]",
			"offset: by messages, the clock of Q is 9.5s to 10.5s ahead of that of P []",
		}},
		{"drift", `{"process":"P","time":3,"send":"m"}` + "\n" + `{"process":"Q","time":3,"recv":"m","send":"n"}` + "\n" + `{"process":"P","time":4,"recv":"n","send":"o"}` + "\n" + `{"process":"Q","time":9,"recv":"o","send":"r"}` + "\n" + `{"process":"P","time":6,"recv":"r"}`, []string{
			"clock: 1 of 4 edges between processes go backwards in time, by at most 3s: Q:2 happened before P:3 [Q:2 P:3]",
			"drift: the clock of Q gained at least 3s on that of P in 3s, from P:1 to P:3 [P:1 P:3]",
		}},
		{"three clocks", `{"process":"P","time":1,"send":"m"}` + "\n" + `{"process":"Q","time":1,"recv":"m","send":"n"}` + "\n" + `{"process":"R","time":1,"recv":"n","send":"o"}` + "\n" + `{"process":"P","time":0.5,"recv":"o"}`, []string{
			"clock: the clock of P runs backwards once, by at most 500ms, at P:2 [P:2]",
			"clock: 1 of 3 edges between processes go backwards in time, by at most 500ms: R:1 happened before P:2 [R:1 P:2]",
		}},
		{"impossible", `{"process":"P","id":"e"}` + "\n" + `{"process":"P","id":"f"}` + "\n" + `{"edge":["⊤","f"]}`, []string{
			"impossible: no consistent cut has f, nor what comes after on its process [f]",
		}},
	} {
		c := read(t, test.text)
		var got []string
		for _, f := range Find(c, 0) {
			ids := make([]string, len(f.Events))
			for i, e := range f.Events {
				ids[i] = c.ID(e)
			}
			got = append(got, fmt.Sprintf("%s: %s %v", f.Kind, f.Text, ids))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.name, got, test.want)
		}
	}
}
