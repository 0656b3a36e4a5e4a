package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/guides"
	"github.com/pota-project/pota/cmd/pota/internal/help"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

var updateDocuments = flag.Bool("documents", false, "write what the commands of README and guides print into them")

// Every command in README and guides prints what is said there: those in blocks of
// "console", each after "$ ". They run in the root of the repository, or for guides, which write
// files, in the folder that pota demo writes. Blocks of traces, mappings
// and properties are accepted by what reads these.
func TestDocuments(t *testing.T) {
	t.Parallel()
	root := repository(t)
	withPatterns(t, filepath.Join("guides", "formulas.md"))
	t.Run("all", func(t *testing.T) {
		document(t, filepath.Join(root, "README.md"), root)
		for i, name := range guides.Names {
			if testing.Short() && i%6 != 0 { // commands of all take long
				continue
			}
			dir := t.TempDir()
			if status, _, stderr := pota("", "demo", dir); status != 0 {
				t.Fatal(stderr)
			}
			document(t, filepath.Join("guides", name+".md"), dir)
			withPictures(t, root, dir)
		}
	})
}

// withPictures checks, or replaces, the pictures of the repository that the commands of a guide
// have drawn.
func withPictures(t *testing.T, root, dir string) {
	t.Helper()
	t.Cleanup(func() {
		for _, name := range []string{"testdata/lock.svg", "testdata/figure1-slice.svg"} {
			drawn, err := os.ReadFile(filepath.Join(dir, name))
			path := filepath.Join(root, name)
			if err != nil || bytes.Equal(drawn, readFile(t, path)) {
				continue
			}
			if !*updateDocuments {
				t.Errorf("%s is not what the command prints", name)
			} else if err := os.WriteFile(path, drawn, 0o666); err != nil {
				t.Error(err)
			}
		}
	})
}

// withPatterns checks, or writes, the section of a guide that is made of the patterns.
func withPatterns(t *testing.T, path string) {
	t.Helper()
	const begin, end = "\n## Patterns\n\n", "\n## Grammar\n"
	text := string(readFile(t, path))
	before, rest, _ := strings.Cut(text, begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no section on patterns", path)
	}
	want := before + begin + patternsText() + end + after
	if text == want {
		return
	}
	if !*updateDocuments {
		t.Errorf("the section on patterns in %s is not that of package pattern", path)
	} else if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

// applied returns a formula of a pattern about the arguments of its example.
func applied(p pattern.Pattern, formula string) string {
	if formula == p.Mistake {
		p.More = false
		p.Example = p.Example[:len(p.Params)]
	}
	p.Formula = formula
	text, err := p.Apply(p.Example...)
	if err != nil {
		panic(err)
	}
	return text
}

// patternsText is what the guide says of all patterns.
func patternsText() string {
	var b strings.Builder
	b.WriteString("`--property NAME:ARGUMENTS` stands for the formula of a pattern. Arguments are separated by commas; P and Q are any\n" +
		"formulas, and a VARIABLE belongs to several processes; if it is not Boolean, compare it, as in\n" +
		"`mutex:state == \"LEADING\"`. For each pattern, the formula comes first, then a common mistake, and a trace on which the\n" +
		"formula fails, as it should, but the mistake holds. Within formulas and files a pattern is written\n" +
		"`responds(p, q)`, and one with a hyphen `at_most_once(req, op == \"charge\")`.\n")
	for _, p := range pattern.All() {
		fmt.Fprintf(&b, "\n**%s** %s\n\n```properties\n", p.Usage(), p.Sentence)
		width := max(len(p.Name), len("mistaken")) + 1
		fmt.Fprintf(&b, "%-*s %s\n", width, p.Name+":", applied(p, p.Formula))
		fmt.Fprintf(&b, "%-*s %s   # %s\n```\n\n", width, "mistaken:", applied(p, p.Mistake), p.Why)
		fmt.Fprintf(&b, "```jsonl\n%s```\n", p.Trace)
	}
	return b.String()
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// document runs the commands of a document in dir.
func document(t *testing.T, path, dir string) {
	t.Run(filepath.Base(path), func(t *testing.T) {
		if _, err := exec.LookPath("curl"); err != nil && strings.Contains(string(readFile(t, path)), " curl -") {
			if os.Getenv("CI") == "true" {
				t.Error("curl is not installed")
			}
			t.Skip("curl is not installed: nothing has shown that the commands do what is said")
		}
		if !*updateDocuments { // go run reads the guides
			t.Parallel()
		}
		var fresh, block, output strings.Builder
		commands, language := 0, ""
		for line := range strings.Lines(string(readFile(t, path))) {
			text, fence := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "```")
			command, isCommand := strings.CutPrefix(line, "$ ")
			console := language == "console"
			switch {
			case fence && language == "":
				language = text
			case fence || console && isCommand:
				if console && block.String() != output.String() && !*updateDocuments {
					t.Errorf("got\n%s\n%s says\n%s", output.String(), path, block.String())
				}
				if console {
					fresh.WriteString(output.String())
				}
				if fence {
					if err := accepted(t, language, block.String()); err != nil {
						t.Errorf("%s: %v\n%s", path, err, block.String())
					}
					language = ""
				}
				block.Reset()
				output.Reset()
				if isCommand {
					commands++
					output.WriteString(shell(dir, command))
				}
			case language != "":
				block.WriteString(line)
				if console {
					continue
				}
			}
			fresh.WriteString(line)
		}
		if commands < 3 || language != "" {
			t.Errorf("%d commands found, last block %q", commands, language)
		}
		if *updateDocuments {
			if err := os.WriteFile(path, []byte(fresh.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// accepted reads a block of a document as what it shows.
func accepted(t *testing.T, language, text string) (err error) {
	switch language {
	case "jsonl":
		path := filepath.Join(t.TempDir(), "block")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
		_, err = native.ReadFile(context.Background(), path, trace.Options{})
	case "json":
		_, err = mapped.Parse("block", []byte(text))
	case "properties":
		_, err = syntax.ParseProperties(text)
	}
	return err
}

// usualPort is where documents listen, and tests at one that is free.
const usualPort = ":4318"

func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return usualPort
	}
	defer func() { _ = l.Close() }() // it has been free
	return ":" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// shell runs a command of a document, whose exit status may say that a formula fails,
// and returns all it prints.
func shell(dir, command string) string {
	command = strings.ReplaceAll(command, "go run ./cmd/pota ", "pota ") // which the test is, and need not be built again
	c := exec.Command("sh", "-c", strings.ReplaceAll(command, usualPort, freePort()))
	c.Dir = dir
	out, err := c.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() > 3) {
		return err.Error() + "\n"
	}
	return string(out)
}

// Guides are listed, say in their first line what the list says, and have lines that fit
// on a screen. What tables of the guide on formulas show as formulas can be parsed. README.md
// is short, and names folders that exist and an example that runs.
func TestGuides(t *testing.T) {
	files, err := filepath.Glob("guides/*.md")
	if err != nil || len(files) != len(guides.Names) {
		t.Fatalf("%d files for %d guides: %v", len(files), len(guides.Names), err)
	}
	for _, name := range guides.Names {
		heading, _, _ := strings.Cut(guides.Text(name), "\n")
		if _, about, ok := strings.Cut(heading, "# "+name+": "); !ok || about == "" || len(about) > 70 {
			t.Errorf("%s begins with %q", name, heading)
		}
		inBlock := false
		for line := range strings.Lines(guides.Text(name)) {
			if strings.HasPrefix(line, "```") {
				inBlock = !inBlock
			}
			if !inBlock && line[0] != '|' && len([]rune(line)) > 121 {
				t.Errorf("%s: too long: %s", name, line)
			}
		}
	}
	for line := range strings.Lines(guides.Text("formulas")) {
		if line[0] != '|' {
			continue
		}
		for i, text := range strings.Split(line, "`") {
			if _, err := syntax.Parse(text); i%2 == 1 && err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	readme := readFile(t, filepath.Join(repository(t), "README.md"))
	if n := bytes.Count(readme, []byte("\n")); n > 160 {
		t.Errorf("README.md has %d lines; it is to be read, so at most 160", n)
	}
	for line := range strings.Lines(string(readme)) {
		row := strings.Split(line, "|")
		if len(row) != 4 {
			continue
		}
		for i, folder := range strings.Split(row[1], "`") {
			if i%2 == 0 || strings.Contains(folder, "…") {
				continue
			}
			if _, err := os.Stat(filepath.Join(repository(t), folder)); err != nil {
				t.Errorf("README.md maps a folder that is not there: %v", err)
			}
		}
	}

	example := string(readFile(t, filepath.Join(repository(t), "rctl", "pota", "example_test.go")))
	_, after, _ := strings.Cut(string(readme), "## From Go\n")
	_, after, _ = strings.Cut(after, "```go\n")
	block, _, _ := strings.Cut(after, "```")
	for line := range strings.Lines(block) {
		if !strings.Contains(example, "\t"+line) {
			t.Errorf("README.md has a line in Go that is not in the example: %s", line)
		}
	}
	if block == "" {
		t.Error("README.md has no example in Go")
	}
}

// The help of the program lists each command once, in some group.
func TestGroups(t *testing.T) {
	listed := make(map[string]int)
	for _, g := range help.Groups {
		for _, name := range g.Commands {
			listed[name]++
		}
	}
	app := newSession(t.Context(), streams{}).app()
	for _, c := range app.Commands {
		if listed[c.Name] != 1 {
			t.Errorf("%s is listed %d times", c.Name, listed[c.Name])
		}
	}
	if len(listed) != len(app.Commands) {
		t.Errorf("%d commands are listed, and there are %d", len(listed), len(app.Commands))
	}
}

// Where README and guides name two events that nothing orders, the steps that are shown have both.
func TestDocumentsShowCauses(t *testing.T) {
	files, err := filepath.Glob("guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	cause := regexp.MustCompile(`(?m)^  nothing orders (\S+) .*before ([^ \n]+)`)
	found := 0
	for _, path := range append(files, filepath.Join(repository(t), "README.md")) {
		for i, block := range strings.Split(string(readFile(t, path)), "```") {
			pair := cause.FindStringSubmatch(block)
			if i%2 == 0 || pair == nil {
				continue
			}
			found++
			for _, row := range []string{`– +` + regexp.QuoteMeta(pair[1]), `[0-9]+ +` + regexp.QuoteMeta(pair[2])} {
				if !regexp.MustCompile(`(?m)^ +` + row + ` `).MatchString(block) {
					t.Errorf("%s: there is no step %s in\n%s", path, row, block)
				}
			}
		}
	}
	if found < 7 {
		t.Errorf("only %d causes are shown", found)
	}
}
