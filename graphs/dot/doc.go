// Package dot writes pictures of computations and slices for Graphviz.
//
// A process is a lane: its name and its events in one group, joined by heavy edges, and the names
// of all processes in one rank in their order. That leaves clusters to the meta-events, since an
// event can be in one cluster only. Edges that may go against time do not take part in the ranking.
// Title and legend are the label of the graph. The same picture gives the same bytes.
//
// The tests of package draw draw the same examples for both packages.
package dot
