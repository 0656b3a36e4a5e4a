package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a picture cannot have all of, it has around its cut, and what shows a verdict
// without a run is told.
func TestDraw(t *testing.T) {
	t.Parallel()
	large := filepath.Join(t.TempDir(), "large.jsonl")
	var lines strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&lines, `{"process":"P%d","set":{"x":%d}}`+"\n", i%3, i/3)
	}
	if err := os.WriteFile(large, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	late := filepath.Join(t.TempDir(), "late.jsonl")
	answer := `{"process":"P","time":1,"set":{"asked":true}}` + "\n" + `{"process":"Q","id":"answer","time":9,"set":{"up":true}}` + "\n"
	if err := os.WriteFile(late, []byte(answer), 0o666); err != nil {
		t.Fatal(err)
	}
	const figure = "../../testdata/figure1.jsonl"
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{large, "EF(x@P1 == 900)"}, []string{"x = 900", "earlier and", "later events are not drawn"}},
		{[]string{"--max-events", "10", large, "EF(x@P1 == 900)"}, []string{"x = 900", "earlier and"}},
		{[]string{"--format", "dot", large, "EF(x@P1 == 900)"}, []string{"x = 900", "earlier and", "later events are not drawn"}},
		{[]string{"--format", "dot", figure, "AG(x > 1)"}, []string{"AG(x &gt; 1) fails at the initial cut"}},
		{[]string{"--format", "dot", figure, "AG(x == 2 -> AF(y == 1))"}, []string{"3. e1", "1b. e2", "3b. f3", "with a letter"}},
		{[]string{"--format", "dot", figure, "AX(x > 0)"}, []string{"AX(x &gt; 0) holds; no run shows it, and it has no slice"}},
		{[]string{large}, []string{"later events are not drawn"}},
		{[]string{figure, "AG(x > 1)"}, []string{"AG(x &gt; 1) fails at the initial cut", `class="frontier"`}},
		{[]string{figure, "AG(x == 2 -> AF(y == 1))"}, []string{">3<", ">1b<", ">3b<", "with a letter"}},
		{[]string{figure, "AX(x > 0)"}, []string{"AX(x &gt; 0) holds; no run shows it, and it has no slice"}},
		{[]string{late, "AG(asked@P -> AF[<= 3s] up@Q)"}, []string{" fails<", `class="frontier"`, `event open inside" data-event="1"`, `event open" data-event="2"`}},
		{[]string{"--skew", "1s", late, "AG(asked@P -> AF[<= 8s] up@Q)"}, []string{" unknown: it depends on clocks<", "asked = true"}},
		{[]string{"--skew", "1s", late, "AG(asked@P -> AF[<= 6s] up@Q)"}, []string{" fails<", `class="frontier"`}},
		{[]string{"--by", "time", "--skew", "1s", late}, []string{`class="tick"`, ">8s<", `class="when"`, "when it may have happened"}},
		{[]string{"--format", "html", figure, "AX(x > 0)"}, []string{`"verdict":"holds"`}},
	} {
		var out, errs bytes.Buffer
		if status := run(context.Background(), append([]string{"draw"}, c.args...), streams{out: &out, err: &errs}); status != 0 {
			t.Errorf("%q: status %d: %s", c.args, status, errs.String())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q: there is no %q", c.args, want)
			}
		}
		if strings.Contains(strings.Join(c.args, " "), "max-events") && strings.Count(out.String(), "data-event") != 10 {
			t.Errorf("%q: %d events", c.args, strings.Count(out.String(), "data-event"))
		}
	}
}

// However long the texts of a trace are, a page about it has at most 10 MB.
func TestLargestPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.jsonl")
	var lines strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&lines, `{"process":"P","set":{"x":%d},"label":"%s"}`+"\n", i, strings.Repeat("long", 2500))
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if status := run(context.Background(), []string{"draw", "--format", "html", path, "EF(x == 2000)"}, streams{out: &out, err: &errs}); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	if out.Len() > 10<<20 || !strings.Contains(out.String(), `"2000"`) {
		t.Errorf("the page has %d bytes, the cut that matters: %t", out.Len(), strings.Contains(out.String(), `"2000"`))
	}
}
