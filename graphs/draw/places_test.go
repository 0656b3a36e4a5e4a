package draw_test

import (
	"bufio"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

type place struct{ x, y float64 }

var (
	nodeLine  = regexp.MustCompile(`^node n\d+ (\S+) (\S+) \S+ \S+ (.*)$`)
	firstLine = regexp.MustCompile(`^"?([^" \\]*)`)
)

// places returns where dot puts the nodes, by the first lines of their labels.
func places(t *testing.T, text string) map[string]place {
	t.Helper()
	graphviz(t, text)
	cmd := exec.Command("dot", "-Tplain")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]place)
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		m := nodeLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		x, errX := strconv.ParseFloat(m[1], 64)
		y, errY := strconv.ParseFloat(m[2], 64)
		if errX != nil || errY != nil {
			t.Fatal(lines.Text())
		}
		found[firstLine.FindStringSubmatch(m[3])[1]] = place{x, y}
	}
	return found
}
