package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newBlock and insertedBlock find the blocks of CONTRIBUTING.md, with the file that each goes to.
var (
	newBlock      = regexp.MustCompile("(?s)New file `([^`]+)`:\n\n```go\n(.*?)```\n")
	insertedBlock = regexp.MustCompile("(?s)In `([^`]+)`, after the line `([^`\n]+)`:\n\n```(?:go|text)\n(.*?)\n```\n")
)

// The engine, the format, the pattern and the reporter of CONTRIBUTING.md work, added to the
// program as the text says. The compiler sees them by an overlay: no copy of the tree is made.
func TestContributing(t *testing.T) {
	if os.Getenv("CI") == "" && os.Getenv("POTA_FULL") == "" {
		t.Skip("CI and POTA_FULL are not set: nothing has shown that the code in CONTRIBUTING.md works")
	}
	t.Parallel()
	dir := t.TempDir()
	pota := buildContributed(t, repository(t), dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a.steps", "steps 1\na x 1\nb y 2\na x 3\n")
	write("bad.steps", "steps 1\na x one\n")

	for _, c := range []struct{ args, want string }{
		{"detect --engine first --json EF(x@a==0) a.steps", `"verdict":"holds","fragment":"RCTL","engine":"first"`},
		{"detect --engine first AG(x@a>0) a.steps", "fails "},
		{"detect --engine first EF(x@a==3) a.steps", "engine first does not decide"},
		{"detect EF(x@a==3&&y@b==0) a.steps", "pota: a.steps is read as steps\nholds "},
		{"detect EF(x@a==3) bad.steps", "bad.steps:2: a step is PROCESS VARIABLE NUMBER"},
		{"detect --property finally:x@a==1 a.steps", "fails "},
		{"detect --property finally:x@a==3 a.steps", "holds "},
		{"detect --format csv AG(x@a<3) a.steps", "\na.steps,AG(x@a<3),fails\n"},
		{"formats", "steps"},
	} {
		command := exec.Command(pota, strings.Fields(c.args)...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() > 3) {
			t.Errorf("pota %s: %v", c.args, err)
		}
		if !strings.Contains(string(out), c.want) {
			t.Errorf("pota %s prints\n%swithout %q", c.args, out, c.want)
		}
	}
}

// buildContributed builds the command with the code of CONTRIBUTING.md and returns its path.
func buildContributed(t *testing.T, root, dir string) string {
	t.Helper()
	text := string(readFile(t, filepath.Join(root, "CONTRIBUTING.md")))
	files := make(map[string]string)
	for _, block := range newBlock.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, block[1])); err == nil {
			t.Fatalf("%s exists and is not new", block[1])
		}
		files[block[1]] = block[2]
	}
	inserted := insertedBlock.FindAllStringSubmatch(text, -1)
	for _, block := range inserted {
		if files[block[1]] == "" {
			files[block[1]] = string(readFile(t, filepath.Join(root, block[1])))
		}
		files[block[1]] = insertAfter(t, block[1], files[block[1]], block[2], block[3])
	}
	if n := strings.Count(text, "\n```go\n") + strings.Count(text, "\n```text\n"); n != len(inserted)+len(newBlock.FindAllString(text, -1)) {
		t.Fatalf("some of the %d blocks of code say neither that their file is new nor where they go", n)
	}

	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(copied, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, name)] = copied
	}
	encoded, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, encoded, 0o666); err != nil {
		t.Fatal(err)
	}

	program := filepath.Join(dir, "pota")
	build := exec.Command("go", "build", "-overlay", path, "-o", program, "./cmd/pota")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// insertAfter returns text with a block after the only line that is the given one, whatever
// blanks are around it.
func insertAfter(t *testing.T, file, text, line, block string) string {
	t.Helper()
	var b strings.Builder
	found := 0
	for l := range strings.Lines(text) {
		b.WriteString(l)
		if strings.TrimSpace(l) == line {
			b.WriteString(block + "\n")
			found++
		}
	}
	if found != 1 {
		t.Fatalf("%d lines of %s are %q", found, file, line)
	}
	return b.String()
}
