package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// manyTraces writes traces on which a property fails in two ways, or holds, and returns them with
// the properties.
func manyTraces(t *testing.T, dir string) (properties string, traces []string) {
	t.Helper()
	for i := range 60 {
		// The values, the process and the number in the label differ, and the cause is the same.
		text := fmt.Sprintf(`{"process":"N%d","label":"request r%d","set":{"x":%d}}`, i%3, i, 5+i)
		switch {
		case i >= 55:
			text = `{"process":"N0","label":"retry","set":{"x":7}}`
		case i >= 40:
			text = `{"process":"N0","label":"request","set":{"x":1}}`
		}
		path := filepath.Join(dir, fmt.Sprintf("r%02d.jsonl", i))
		if err := os.WriteFile(path, []byte(text+"\n"+`{"process":"Q","set":{"y":0}}`+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		traces = append(traces, path)
	}
	properties = filepath.Join(dir, "p.txt")
	if err := os.WriteFile(properties, []byte("low: AG(forall i having x: x@i < 5)\nnever: AG(y@Q == 1 -> AF(y@Q == 2))\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return properties, traces
}

// Failures with one cause are one entry that lists the others, whether they are found or were
// read, one at a time or several.
func TestFailuresAlike(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	properties, traces := manyTraces(t, dir)
	detect := append([]string{"detect", "-f", properties}, traces...)
	run := func(args ...string) string {
		t.Helper()
		status, out, stderr := pota("", args...)
		if status != 1 || stderr != "" {
			t.Fatalf("%q: status %d, %s", args, status, stderr)
		}
		return strings.ReplaceAll(out, dir+string(filepath.Separator), "")
	}
	result := filepath.Join(dir, "results")
	run(append(detect, "--json", "-o", result)...)

	const total = "120 verdicts on 60 executions with 120 events: 45 fail, 75 hold; 60 vacuous"
	markdown := run(append(detect, "--format", "markdown")...)
	for _, want := range []string{
		"## pota: 45 fail, 75 hold; 60 vacuous\n\n" + total + ". Causality allows 240 cuts ",
		"the recorded orders pass 180 of them.\n",
		"| `low` | 15 | 45 | 0 | 0 | 0 |\n| `never` | 60 | 0 | 0 | 0 | 60 |\n",
		"**fails** `r00.jsonl` and 39 like it\n",
		"<summary>the 39 like it</summary>\n\n`r01`, `r02`, ",
		"`r39`\n",
		"**fails** `r55.jsonl` and 4 like it\n",
		"```\nAG(forall i having x: x@i < 5)\n",
		"request r0",
	} {
		if !strings.Contains(markdown, want) {
			t.Errorf("Markdown has no %q", want)
		}
	}
	page := run(append(detect, "--format", "html")...)
	for _, want := range []string{
		"<h3><span class=\"fails\">fails</span> r00 and 39 like it</h3>",
		"<tr><td>r59.jsonl</td><td class=\"fails\">fails</td><td class=\"holds\">holds</td></tr>",
		"<tr><td>r40.jsonl</td><td class=\"holds\">holds</td><td class=\"holds\">holds</td></tr>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("HTML has no %q", want)
		}
	}
	if strings.Contains(page, "<script") {
		t.Error("the page has a script")
	}
	for _, format := range []string{"markdown", "html"} {
		one, many := run(append(detect, "--format", format)...), run(append(detect, "--format", format, "--jobs", "4")...)
		if one != many {
			t.Errorf("%s: four at a time make another document", format)
		}
		merged := run("merge", "--format", format, result)
		if !strings.Contains(merged, " like it") || strings.Contains(merged, "Causality") {
			t.Errorf("%s: merged results are\n%s", format, merged)
		}
	}
	// With runs to compare, text has each cause once.
	text := run(append(detect, "--witness")...)
	_, after, _ := strings.Cut(text, "low: ")
	if strings.Count(text, "fails    ") != 2 || !strings.HasPrefix(after, "45 of 60 fail: r00, r01, r02, r03, r04, r05, r06, r07, r08, r09, …\n"+
		"         and 39 like r00.jsonl; -v lists all\n         and 4 like r55.jsonl; -v lists all\n") ||
		!strings.HasSuffix(after, "\n"+total+"\n") {
		t.Error(text)
	}
}

// The page links a view of each verdict that fails, and the views are there.
func TestViews(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	properties, traces := manyTraces(t, dir)
	views, index := filepath.Join(dir, "pages", "a b"), filepath.Join(dir, "index.html")
	args := append([]string{"detect", "-f", properties, "--jobs", "2", "--format", "html", "-o", index, "--view", views}, traces[37:45]...)
	if status, _, stderr := pota("", args...); status != 1 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	links := make(map[string]int)
	for _, m := range regexp.MustCompile(`href="\./([^"]*)"`).FindAllStringSubmatch(string(readFile(t, index)), -1) {
		links[m[1]]++
	}
	// Each is in the entry of its shape, and in the table.
	if len(links) != 3 {
		t.Errorf("links %v", links)
	}
	for link, n := range links {
		path, err := url.PathUnescape(link)
		if err != nil || n != 2 || !strings.Contains(string(readFile(t, filepath.Join(dir, path))), `"verdict":"fails"`) {
			t.Errorf("%d links to %s: %v", n, link, err)
		}
	}
	status, _, stderr := pota("", "detect", "--view", dir, "AG(x < 5)", dir)
	if status != 2 || !strings.Contains(stderr, "would write pages into a trace") {
		t.Errorf("status %d, %s", status, stderr)
	}
	status, out, _ := pota("", "detect", "--view", views, "EF(x@N0 < 5)", traces[0])
	if status != 0 || !strings.Contains(out, "         view: "+views) {
		t.Errorf("status %d, a run that shows what holds: %s", status, out)
	}
	status, out, _ = pota("", "detect", "--view", views, "forall c in events(true): AG(x@N0 < 5)", traces[0])
	if status != 1 || !strings.Contains(out, "         view: "+views+string(filepath.Separator)+"r00.jsonl-") {
		t.Errorf("status %d, %s", status, out)
	}
}

// Whatever names, labels and errors are made of, a document has no markup of theirs.
func TestHostileDigest(t *testing.T) {
	t.Parallel()
	const evil = "](http://evil) <script>alert(1)</script> | `` ``` \n# head @user {{.}}"
	dir := t.TempDir()
	trace, bad := filepath.Join(dir, "a|`<b>.jsonl"), filepath.Join(dir, "c|`<i>.jsonl")
	line := fmt.Sprintf(`{"process":%q,"label":%q,"set":{"x":%q}}`, evil, evil, evil)
	for path, text := range map[string]string{trace: line, bad: line + "}"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	properties := filepath.Join(dir, "p")
	if err := os.WriteFile(properties, []byte(`"<i>|`+"`"+`": AG(x == "")`), 0o666); err != nil {
		t.Fatal(err)
	}
	_, page, _ := pota("", "detect", "-f", properties, "--format", "html", trace, bad)
	for _, tag := range []string{"<script", "<b>", "<i>", "<img", "{{"} {
		if strings.Contains(strings.ReplaceAll(page, "{{.}}", ""), tag) {
			t.Errorf("the page has %s", tag)
		}
	}
	_, markdown, _ := pota("", "detect", "-f", properties, "--format", "markdown", trace, bad)
	fence := ""
	for line := range strings.Lines(markdown) {
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "":
			if mark == fence && line == fence+"\n" {
				fence = ""
			}
		case strings.HasPrefix(line, "|") && strings.Count(line, "|") != 7,
			strings.Contains(line, "<b>"), strings.Contains(line, "<i>"), strings.Contains(line, "evil"):
			t.Errorf("Markdown has the line %s", line)
		}
	}
	if fence != "" || !strings.Contains(markdown, "cannot be read") {
		t.Error(markdown)
	}
}
