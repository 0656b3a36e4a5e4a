package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

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
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	if _, err := new(types.Config).Check("p", fset, files, info); err != nil {
		t.Fatal(err)
	}
	const want = "[[a.go c.go] [b.go] [d.go] [e.go]]"
	if got := fmt.Sprint(components(fset, files, info)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
