package knots

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
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/multi"
	"gonum.org/v1/gonum/graph/topo"
)

var limit = flag.Int("max", 8, "allow components of `FILES`")

// No more files of a package use each other than may.
func TestKnots(t *testing.T) {
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"github.com/pota-project/pota/cmd/..."}
	}
	// go test repeats an earlier result where the directories that were read are as they were.
	if err := filepath.WalkDir("../../cmd", func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
		t.Fatal(err)
	}
	wanted, exports := list(t, patterns)
	for _, p := range wanted {
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		// Types of other packages are read from what the compiler has written, which is faster
		// than to check them again.
		known := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
			return os.Open(exports[path])
		})
		for _, c := range components(t, fset, files, known) {
			if len(c) > *limit {
				t.Errorf("%s: %d files use each other, %d may: %s", p.ImportPath, len(c), *limit, strings.Join(c, ", "))
			}
		}
	}
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Export     string // file with the types of what the package exports
	DepOnly    bool   // it is not among those that were asked for
}

// list has the go command find packages and compile them. It returns those that were asked for,
// and the files with what each of them, or of those that they import, exports.
func list(t *testing.T, patterns []string) (wanted []listed, exports map[string]string) {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly"}
	command := exec.Command("go", append(args, patterns...)...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports = make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			wanted = append(wanted, p)
		}
	}
	return wanted, exports
}

// components returns the strongly connected components of the files of a package, by name, in
// alphabetical order. The time complexity is O(identifiers).
func components(t *testing.T, fset *token.FileSet, files []*ast.File, known types.Importer) [][]string {
	t.Helper()
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: known}
	if _, err := config.Check("", fset, files, info); err != nil {
		t.Fatal(err)
	}
	nodes := make(map[string]multi.Node)
	g := multi.NewDirectedGraph()
	for i, f := range files {
		nodes[fset.Position(f.Package).Filename] = multi.Node(i)
		g.AddNode(multi.Node(i))
	}
	for id, used := range info.Uses {
		from := nodes[fset.Position(id.Pos()).Filename]
		to, ours := nodes[fset.Position(used.Pos()).Filename]
		if ours && from != to {
			g.SetLine(g.NewLine(from, to))
		}
	}

	names := slices.Collect(maps.Keys(nodes))
	slices.SortFunc(names, func(a, b string) int { return int(nodes[a] - nodes[b]) })
	var all [][]string
	for _, component := range topo.TarjanSCC(g) {
		var c []string
		for _, node := range component {
			c = append(c, filepath.Base(names[node.ID()]))
		}
		slices.Sort(c)
		all = append(all, c)
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

// Files that use each other, by functions, methods or fields, are one component; a file that is
// only used is not of it.
func TestComponents(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, f := range [][2]string{
		{"a.go", "package p; func A() int { return B().C() }"},
		{"b.go", "package p; func B() T { return T{X: D} }"},
		{"c.go", "package p; func (t T) C() int { t.X++; return A() }"},
		{"d.go", "package p; const D = 1; type T struct { X int }"},
		{"e.go", "package p; func E() int { return A() }"},
	} {
		parsed, err := parser.ParseFile(fset, f[0], f[1], 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, parsed)
	}
	const want = "[[a.go c.go] [b.go] [d.go] [e.go]]"
	if got := fmt.Sprint(components(t, fset, files, nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
