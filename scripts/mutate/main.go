// Mutate measures what tests find: it changes one operator, number or condition at
// a time, drawn at random, and tells which changes the tests notice. It changes no
// file: go test takes the changed text from an overlay.
//
//	go run ./scripts/mutate -o mutants.tsv \
//		-test '{}' -test './slice ./rctl/...' -test 'POTA_FULL=1 ./slice ./rctl/...' \
//		./slice ./rctl/... ./graphs/ist ./graphs/lattice
//
// The arguments are the packages to change. Each -test is a list of arguments of go
// test, after variables of the environment, {} being the package with the change; a
// change that one command does not notice is left to the next, so that the table
// tells what the later ones find in addition. A change that makes the tests of a
// package run longer than -limit is noticed. A change may use up all memory: ulimit
// -v protects the machine.
//
// The output is a line for each change in -o, to which a later run with the same
// seed adds what is missing, and a table of them all. The seed decides which changes
// are made; those that do not compile are not counted in -n. A run that begins
// without results makes sure that the tests pass where nothing is changed.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A mutant is one change: new text in place of old, at an offset of a file.
type mutant struct {
	pkg, file string
	text      []byte // of the file
	place     string // the file, the line and the column
	offset    int
	old, new  string
}

func (m mutant) String() string { return m.place + "\t" + m.old + "\t" + m.new }

// flips lists what an operator becomes.
var flips = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.ADD}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND}, token.AND_NOT: {token.AND},
	token.SHL: {token.SHR}, token.SHR: {token.SHL}, token.INC: {token.DEC}, token.DEC: {token.INC},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.OR_ASSIGN: {token.AND_ASSIGN}, token.AND_ASSIGN: {token.OR_ASSIGN},
}

var (
	count = flag.Int("n", 200, "number of changes that compile")
	seed  = flag.Uint64("seed", 1, "seed of the random numbers")
	limit = flag.Duration("limit", 10*time.Minute, "longest time of the tests of one package")
	file  = flag.String("o", "mutants.tsv", "file of results")
	tests []string
)

func main() {
	flag.Func("test", "arguments of go test (may be repeated)", func(s string) error {
		tests = append(tests, s)
		return nil
	})
	flag.Parse()
	if flag.NArg() == 0 || len(tests) == 0 {
		fail(fmt.Errorf("at least one -test and one package must be given"))
	}
	mutants := find(flag.Args())
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
	known := make(map[string]string) // results of earlier runs
	text, _ := os.ReadFile(*file)
	for line := range strings.Lines(string(text)) {
		if i := strings.LastIndexByte(line, '\t'); i >= 0 {
			known[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	for _, test := range tests {
		if len(known) == 0 && fails(command(test, strings.Join(flag.Args(), " "))) {
			fail(fmt.Errorf("go test %s must pass where nothing is changed", test))
		}
	}
	out, err := os.OpenFile(*file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	fail(err)
	table := make(map[string]map[string]int) // results by package
	for done := 0; done < *count && len(mutants) > 0; mutants = mutants[1:] {
		m := mutants[0]
		result, ok := known[m.String()]
		if !ok {
			result = m.try()
			_, err = fmt.Fprintf(out, "%v\t%s\n", m, result)
			fail(err)
		}
		if table[m.pkg] == nil {
			table[m.pkg] = make(map[string]int)
		}
		table[m.pkg][result]++
		if result != "does not compile" {
			done++
			fmt.Fprintf(os.Stderr, "%d of %d\t%v\t%s\n", done, *count, m, result)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(table)) {
		fmt.Println(pkg)
		for _, result := range slices.Sorted(maps.Keys(table[pkg])) {
			fmt.Printf("%6d  %s\n", table[pkg][result], result)
		}
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

// find returns all changes of the packages, in the order of their files.
func find(patterns []string) (all []mutant) {
	list, err := exec.Command("go", append([]string{"list", "-f", "{{range .GoFiles}}{{$.ImportPath}}\t{{$.Dir}}/{{.}}\n{{end}}"}, patterns...)...).Output()
	fail(err)
	here, err := os.Getwd()
	fail(err)
	for line := range strings.Lines(string(list)) {
		pkg, path, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		text, err := os.ReadFile(path)
		fail(err)
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, path, text, 0)
		fail(err)
		short, err := filepath.Rel(here, path)
		fail(err)
		add := func(pos token.Pos, old, new string) {
			p := files.Position(pos)
			all = append(all, mutant{pkg, path, text, fmt.Sprintf("%s:%d:%d", short, p.Line, p.Column), p.Offset, old, new})
		}
		flip := func(pos token.Pos, op token.Token) {
			for _, other := range flips[op] {
				add(pos, op.String(), other.String())
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				flip(n.OpPos, n.Op)
			case *ast.IncDecStmt:
				flip(n.TokPos, n.Tok)
			case *ast.AssignStmt:
				flip(n.TokPos, n.Tok)
			case *ast.UnaryExpr:
				if n.Op == token.NOT {
					add(n.OpPos, "!", "")
				}
			case *ast.IfStmt:
				switch n.Cond.(type) {
				case *ast.CallExpr, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
					add(n.Cond.Pos(), "", "!")
				}
			case *ast.BasicLit:
				if k, err := strconv.Atoi(n.Value); err == nil {
					add(n.Pos(), n.Value, strconv.Itoa(k+1))
				}
			case *ast.Ident:
				if n.Name == "true" || n.Name == "false" {
					add(n.Pos(), n.Name, strconv.FormatBool(n.Name == "false"))
				}
			}
			return true
		})
	}
	return all
}

// try runs the tests on m, command by command, until one notices it.
func (m mutant) try() string {
	dir, err := os.MkdirTemp("", "mutate")
	fail(err)
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	fail(os.WriteFile(changed, slices.Concat(m.text[:m.offset], []byte(m.new), m.text[m.offset+len(m.old):]), 0o644))
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{m.file: changed}})
	fail(err)
	fail(os.WriteFile(overlay, text, 0o644))
	if exec.Command("go", "build", "-overlay", overlay, m.pkg).Run() != nil {
		return "does not compile"
	}
	for _, test := range tests {
		if fails(command(test, m.pkg, "-overlay", overlay)) {
			return "killed by " + test
		}
	}
	return "survived"
}

// command returns the command of a -test.
func command(test, pkgs string, args ...string) *exec.Cmd {
	words := strings.Fields(strings.ReplaceAll(test, "{}", pkgs))
	n := slices.IndexFunc(words, func(word string) bool { return !strings.Contains(word, "=") || word[0] == '-' })
	args = slices.Concat([]string{"test", "-vet=off", "-failfast", "-timeout", limit.String()}, args, words[max(n, 0):])
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), words[:max(n, 0)]...)
	return cmd
}

// fails runs tests, and ends them when the first has failed.
func fails(cmd *exec.Cmd) bool {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	fail(err)
	fail(cmd.Start())
	failed := false
	for lines := bufio.NewScanner(out); !failed && lines.Scan(); {
		text := strings.TrimSpace(lines.Text())
		failed = strings.HasPrefix(text, "FAIL") || strings.HasPrefix(text, "--- FAIL")
	}
	if failed {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	return cmd.Wait() != nil || failed
}
