//go:build browser

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// A picture is one that the guides show: the page that a command writes, after something has
// been done on it.
type picture struct {
	name   string
	args   []string
	script string
	width  int64
	height int64
}

var pictures = []picture{
	{"viewer-lock", []string{"draw", "testdata/lock.jsonl", "AG(!(holds@A && holds@B))"},
		"pota.toggle('fold', 'folded')", 1100, 560},
	{"viewer-slice", []string{"slice", "2 <= x <= 4 && y != 2", "testdata/figure1.jsonl"}, "", 1100,
		520},
	{"viewer-raft", []string{"draw", "raft.jsonl",
		`AG(forall i != j: !(role@i == "leader" && role@j == "leader" && term@i == term@j))`},
		"pota.zoom(0.8)", 1100, 700},
}

// main draws the pictures into testdata.
func main() {
	if err := draw(context.Background(), "testdata"); err != nil {
		fmt.Fprintln(os.Stderr, "viewer: "+err.Error())
		os.Exit(1)
	}
}

// draw writes the pictures to a directory.
func draw(ctx context.Context, dir string) error {
	if chromium() == "" {
		return fmt.Errorf("there is no chromium: apt-get install chromium")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	temporary, err := os.MkdirTemp("", "viewer")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // the system removes it some time
	pota, err := build(temporary)
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(temporary, "testdata"), os.DirFS("testdata")); err != nil {
		return err
	}
	// The paths in the pictures are to be short, and the same everywhere.
	command := func(args ...string) error { // runs in the temporary directory
		c := exec.Command(pota, args...)
		c.Dir = temporary
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	if err := command("simulate", "raft", "--fault", "forget-vote", "--events", "200", "--seed",
		"2", "-o", "raft.jsonl"); err != nil {
		return err
	}
	b, err := open(ctx, filepath.Join(temporary, "browser"))
	if err != nil {
		return err
	}
	defer b.close()
	// Each picture is a page of its own, shown by the browser as a person would see it.
	for _, p := range pictures {
		page := filepath.Join(temporary, p.name+".html")
		if err := command(append([]string{p.args[0], "--format", "html", "-o", page},
			p.args[1:]...)...); err != nil {
			return err
		}
		shown, err := b.show("file://" + page)
		if err != nil {
			return err
		}
		var png []byte
		err = shown.run(
			chromedp.EmulateViewport(p.width, p.height),
			chromedp.Evaluate(p.script+"; document.activeElement.blur(); 0", nil),
			until("canvas.clientHeight === stage.clientHeight && canvas.clientWidth === stage.clientWidth"),
			chromedp.FullScreenshot(&png, 100),
		)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, p.name+".png"), png, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
