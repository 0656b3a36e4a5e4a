// Package knots finds files of a package that cannot be understood one after the other: strongly
// connected components of the graph with an edge from each file to the files that declare the
// names in it. Where such a component is large, a change to one file may need a change to any
// other.
//
//	go test ./scripts/knots                                                       all of cmd
//	go test ./scripts/knots -args -max 4 github.com/pota-project/pota/rctl/...    others
//
// The test fails for each component that has more files than -max.
package knots
