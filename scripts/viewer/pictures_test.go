//go:build browser

package viewer

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// A picture is one that the guides or the README show: the page that a command writes, after
// something has been done on it. Those of the README are drawn in dark colours, too.
type picture struct {
	name   string
	dark   bool
	args   []string
	script string
	width  int64
	height int64
}

var pictures = []picture{
	{"viewer-lock", true, []string{"draw", "testdata/lock.jsonl", "AG(!(holds@A && holds@B))"},
		"pota.toggle('fold', 'folded')", 1200, 640},
	{"viewer-slice", false, []string{"slice", "2 <= x <= 4 && y != 2", "testdata/figure1.jsonl"}, "", 1200,
		560},
	{"viewer-raft", true, []string{"draw", "raft.jsonl",
		`AG(forall i != j: !(role@i == "leader" && role@j == "leader" && term@i == term@j))`},
		"", 1200, 760},
}

var keepPictures = flag.Bool("pictures", false, "write the pictures of the guides into testdata")

// The pictures that the guides show can be drawn. They are kept on request: browsers differ in
// single pixels.
func drawPictures(s *stage) {
	dir := s.TempDir()
	data, err := filepath.Abs("../../testdata")
	if err == nil {
		err = os.Symlink(data, filepath.Join(dir, "testdata"))
	}
	if err != nil {
		s.Fatal(err)
	}
	// The paths in the pictures are to be short, and the same everywhere.
	command := func(args ...string) {
		c := exec.Command(s.pota, args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			s.Fatalf("%v: %s", err, out)
		}
	}
	command("simulate", "raft", "--processes", "5", "--fault", "forget-vote", "--events", "200",
		"--seed", "5", "-o", "raft.jsonl")
	for _, p := range pictures {
		page := filepath.Join(dir, p.name+".html")
		command(append([]string{p.args[0], "--format", "html", "-o", page}, p.args[1:]...)...)
		var light, night []byte
		s.do(s.show("file://"+page),
			dark(false),
			chromedp.EmulateViewport(p.width, p.height),
			chromedp.Evaluate(p.script+"; document.activeElement.blur(); 0", nil),
			until("(({ stage, canvas }) => canvas.clientHeight === stage.clientHeight && canvas.clientWidth === stage.clientWidth)(pota.diagram)"),
			chromedp.FullScreenshot(&light, 100),
			dark(true),
			chromedp.FullScreenshot(&night, 100),
		)
		if !*keepPictures {
			continue
		}
		drawn := map[string][]byte{p.name: light}
		if p.dark {
			drawn[p.name+"-dark"] = night
		}
		for name, png := range drawn {
			if err := os.WriteFile(filepath.Join(data, name+".png"), png, 0o666); err != nil {
				s.Fatal(err)
			}
		}
	}
}
