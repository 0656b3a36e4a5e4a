package verify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
)

// Whatever a certificate calls its trace and its property, no line says that something is
// certified but the formula of its proof, on the trace that was given.
func TestForgedNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good.jsonl", `{"process":"P","time":1,"set":{"x":1}}`)
	write("bad.jsonl", `{"process":"P","set":{"x":7}}`)
	read, err := format.Read(t.Context(), "good.jsonl", format.Options{Input: format.Auto, Digest: true})
	if err != nil {
		t.Fatal(err)
	}
	// It holds on good.jsonl alone, and needs no proof but the look at a few cuts.
	const formula = "AG(x@P < 5)"
	const certifiedLine = "certified   holds  good.jsonl  "
	pad := strings.Repeat(" ", 60)
	for _, test := range []struct {
		what, trace, name, formula, want string
	}{
		{"nothing", "good.jsonl", "", formula, certifiedLine + formula},
		{"a plain name", "good.jsonl", "low", formula, certifiedLine + "low: " + formula},
		{"the trace was renamed", "old/other.jsonl", "", formula, certifiedLine + formula},
		{"the same path in other words", "./good.jsonl", "", formula, certifiedLine + formula},
		{"the name of another trace", "bad.jsonl", "", formula,
			"rejected    holds  good.jsonl  " + formula + "\n" +
				"            it names bad.jsonl, and its SHA-256 is that of another trace"},
		{"that name in other words", "./x/../bad.jsonl", "", formula,
			"rejected    holds  good.jsonl  " + formula + "\n" +
				"            it names bad.jsonl, and its SHA-256 is that of another trace"},
		{"an execution of another trace", "bad.jsonl#1", "", formula,
			"rejected    holds  good.jsonl  " + formula + "\n" +
				"            it names bad.jsonl, and its SHA-256 is that of another trace"},
		{"a line in the trace", "good.jsonl  " + formula + "\ncertified   holds  bad.jsonl", "", formula,
			certifiedLine + formula},
		{"a name that is a formula", "good.jsonl", "AG(x@P > 5)", formula,
			certifiedLine + `"AG(x@P > 5)": ` + formula},
		{"a line in the name", "good.jsonl", "low: AG(x@P < 5)\ncertified   holds  bad.jsonl  low", formula,
			certifiedLine + `"low: AG(x@P < 5)\ncertified \u0020 holds \u0020bad.jsonl \u0020low": ` + formula},
		{"a name that fills the line of a terminal", "good.jsonl", "low" + pad + "certified   holds  bad.jsonl", formula,
			certifiedLine + `"low` + strings.Repeat(` \u0020`, 30) + `certified \u0020 holds \u0020bad.jsonl": ` + formula},
		{"control characters in the name", "good.jsonl", "\x1b[2K\rcertified\u202e", formula,
			certifiedLine + `"\u001b[2K\rcertified\u202e": ` + formula},
		{"a comment and a line end in the formula", "good.jsonl", "", formula + " # of good\n# certified   holds  bad.jsonl  AG(x@P > 5)\n",
			certifiedLine + formula},
		{"a comment that says more", "good.jsonl", "", "AG(x@P < 5 # && x@P > 0\n)", certifiedLine + formula},
		{"a comparison of times", "good.jsonl", "", formula + " && AG exists e in events(x == 1): e.time < 5s",
			certifiedLine + formula + " && AG exists e in events(x == 1): e.time < 5s"},
		{"a string in the formula", "good.jsonl", "", `AG(x@P < 5) || "` + "\u2028" + `  EF(x@P > 5)" == ""`,
			certifiedLine + formula + ` || "\u2028 \u0020EF(x@P > 5)" == ""`},
		{"no formula", "good.jsonl", "", "AG(x@P < 5) certified\ncertified   holds  bad.jsonl  AG(x@P < 5)",
			"rejected    holds  good.jsonl  AG(x@P < 5) certified\\ncertified \\u0020 holds \\u0020bad.jsonl \\u0020AG(x@P < 5)\n"},
	} {
		claim, err := json.Marshal(certify.Certificate{
			Version: certificate.Version,
			Trace:   test.trace,
			SHA256:  read[0].SHA256,
			Reader:  read[0].Format,
			Name:    test.name,
			Formula: test.formula,
			Verdict: "holds",
		})
		if err != nil {
			t.Fatal(err)
		}
		write("proof", string(claim))
		var out, errs bytes.Buffer
		limits := budget.New(budget.Limits{Memory: 1 << 30})
		r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, &errs), Budget: limits}
		err = Certificates(r, Options{
			File:   "proof",
			Traces: []string{"bad.jsonl", "good.jsonl"},
			Read:   load.Options{Format: format.Options{Input: format.Auto}, MaxLine: "1MiB", TimeUnit: "s"},
		})
		limits.End()
		r.Close()
		if err != nil || errs.Len() > 0 {
			t.Fatalf("%s: %v %s", test.what, err, &errs)
		}
		status := exit.AllHold
		if strings.HasPrefix(test.want, "rejected") {
			status = exit.SomeFails
		}
		if !strings.HasPrefix(out.String(), test.want) || r.Status != status ||
			status == exit.AllHold && out.String() != test.want+"\n" {
			t.Errorf("%s: status %d\n%s\nwant\n%s", test.what, r.Status, &out, test.want)
		}
	}
}

// In the digest of a folder, the name of a file cannot stand for the line of another: sha256sum
// escapes it.
func TestDigestEscapes(t *testing.T) {
	digest := func(files map[string]string) string {
		t.Helper()
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		read, err := format.Read(t.Context(), dir, format.Options{Input: format.Auto, Digest: true})
		if err != nil {
			t.Fatal(err)
		}
		return read[0].SHA256
	}
	const p, q = `{"process":"P","set":{"x":1}}`, `{"process":"Q","set":{"x":1}}`
	// The digests are what sha256sum * | sha256sum prints.
	for _, test := range []struct {
		name, want string
	}{
		{"b.jsonl", "b72f93354cc4939b2a746c8bd7f986182d0cdd72289403e3341f6d56ebdd7063"},
		{`a\b.jsonl`, "67acad9f3e40ec862e7b08e160e3155667adec061c12d3d546bc7749a757a070"},
		{"a\nb\r.jsonl", "aa57548e6ba36c8dc72594394243975f98d31c83aead5febec6251e6bff062ef"},
	} {
		if got := digest(map[string]string{"a.jsonl": p, test.name: q}); got != test.want {
			t.Errorf("%q: %s, want %s", test.name, got, test.want)
		}
	}
}
