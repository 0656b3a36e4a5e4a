// Knots finds files of a package that cannot be understood one after the other: strongly
// connected components of the graph with an edge from each file to the files that declare what
// it uses. Where such a component is large, a change to one file may need a change to any other.
//
//	go run ./scripts/knots [-max FILES] PACKAGE...
//
// It prints the components that have more files than -max, and then exits with status 1.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	limit := flag.Int("max", 8, "allow components of `FILES`")
	flag.Parse()
	all, err := load(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "knots:", err)
		os.Exit(2)
	}
	status := 0
	for _, p := range all {
		for _, files := range components(p.fset, p.files, p.info) {
			if len(files) <= *limit {
				continue
			}
			fmt.Printf("%s: %d files use each other, %d may: %s\n", p.path, len(files), *limit, strings.Join(files, ", "))
			status = 1
		}
	}
	os.Exit(status)
}

// typed is a package that has been checked.
type typed struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Export     string // file with the types of what the package exports
	DepOnly    bool   // it is not among those that were asked for
}

// load type-checks packages. The go command finds and compiles them.
func load(patterns []string) ([]typed, error) {
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly"}, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	exports := make(map[string]string)
	var wanted []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			wanted = append(wanted, p)
		}
	}

	var all []typed
	for _, p := range wanted {
		checked, err := check(p, exports)
		if err != nil {
			return nil, err
		}
		all = append(all, checked)
	}
	return all, nil
}

// check parses the files of a package and resolves their identifiers.
func check(p listed, exports map[string]string) (typed, error) {
	t := typed{
		path: p.ImportPath,
		fset: token.NewFileSet(),
		info: &types.Info{Uses: make(map[*ast.Ident]types.Object)},
	}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(t.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return t, err
		}
		t.files = append(t.files, f)
	}
	config := types.Config{Importer: importer.ForCompiler(t.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	_, err := config.Check(p.ImportPath, t.fset, t.files, t.info)
	return t, err
}

// components returns the strongly connected components of the files of a package, each in
// alphabetical order. The time complexity is O(identifiers).
func components(fset *token.FileSet, files []*ast.File, info *types.Info) [][]string {
	g := &graph{uses: make(map[string]map[string]bool), index: make(map[string]int)}
	for _, f := range files {
		g.uses[fset.Position(f.Package).Filename] = make(map[string]bool)
	}
	for id, used := range info.Uses {
		from := fset.Position(id.Pos()).Filename
		to := fset.Position(used.Pos()).Filename
		if g.uses[to] != nil { // it is declared in this package
			g.uses[from][to] = true
		}
	}
	for _, f := range slices.Sorted(maps.Keys(g.uses)) {
		if g.index[f] == 0 {
			g.visit(f)
		}
	}
	slices.SortFunc(g.components, slices.Compare)
	return g.components
}

// A graph of files finds its components by the algorithm of Tarjan (Depth-First Search and
// Linear Graph Algorithms, SIAM Journal on Computing 1972).
type graph struct {
	uses       map[string]map[string]bool
	index      map[string]int // in the order of visits, from 1; doneIndex once the component is known
	visits     int
	stack      []string
	components [][]string
}

// doneIndex is greater than the index of any file whose component is not known.
const doneIndex = math.MaxInt

// visit visits a file and the files that declare the names it uses. It returns the least index that can be reached.
func (g *graph) visit(file string) int {
	g.visits++
	own := g.visits
	g.index[file] = own
	at := len(g.stack)
	g.stack = append(g.stack, file)
	low := own
	for other := range g.uses[file] {
		reached := g.index[other]
		if reached == 0 {
			reached = g.visit(other)
		}
		low = min(low, reached)
	}
	if low < own {
		return low
	}

	var names []string
	for _, f := range g.stack[at:] {
		g.index[f] = doneIndex
		names = append(names, filepath.Base(f))
	}
	g.stack = g.stack[:at]
	slices.Sort(names)
	g.components = append(g.components, names)
	return doneIndex
}
