package draw_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dot"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/graphtest"
)

// renderDOT draws a picture for Graphviz.
func renderDOT(t *testing.T, p draw.Picture) string {
	t.Helper()
	return renderBy(t, dot.Write, p)
}

// graphviz lays a text out and returns the texts of the picture.
func graphviz(t *testing.T, text string) (texts []string) {
	t.Helper()
	path, err := exec.LookPath("dot")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("Graphviz is not installed")
		}
		t.Log("Graphviz is not installed: nothing has shown that it reads what is written")
		t.SkipNow()
	}
	cmd := exec.Command(path, "-Tsvg")
	cmd.Stdin = strings.NewReader(text)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("dot: %v\n%s\n%s", err, complaints.String(), text)
	}
	dec := xml.NewDecoder(&out)
	element := ""
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
		case xml.EndElement:
			element = ""
		case xml.CharData:
			if element == "text" {
				texts = append(texts, strings.ReplaceAll(string(token), "\u00a0", " "))
			}
		}
	}
}

func TestGraphvizReadsIt(t *testing.T) {
	for name, p := range pictures() {
		t.Run(name, func(t *testing.T) { graphviz(t, renderDOT(t, p)) })
	}
}

// Every name is in the picture as it is.
func TestGraphvizShowsNames(t *testing.T) {
	texts := graphviz(t, renderDOT(t, pictures()["names"]))
	shown := make(map[string]bool)
	for _, text := range texts {
		shown[text] = true
	}
	for _, want := range []string{
		`a"b`, `c\`, `<&>`, "\ufffd", `d\x00e`, `{f|g}`, `\N`, `&lt;`, `% ; // /* #`, `-->`, `m"<1>\`, `&amp;\n`,
		`<b>&amp;"quoted"</b>`, `back\slash \n\nnew\tline`, "进程 三 🚀 a name that is much too long to be shown in full",
		`names: <&>"'\ ]]> 🚀`, `']]>--><script>alert(1)</script> = "]]>&\"'<\n"`,
		`“a label\nof two lines \l with <tags> & "quotes"”`,
	} {
		if !shown[want] {
			t.Errorf("%q is not in the picture; there are %q", want, texts)
		}
	}
}

// Every event and every message is there once.
func TestRandomForGraphviz(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range graphtest.Rounds(t, 60) {
		c := graphtest.Random(r, graphtest.Config{Processes: 5, Events: 20, Kinds: graphtest.AllKinds | graphtest.EmptyOnes})
		p := randomPicture(r, c)
		text := renderDOT(t, p)
		if p.MaxEvents < 0 || p.MaxEvents >= c.NumEvents() {
			if got := strings.Count(text, `shape="box"`); got != c.NumEvents() {
				t.Fatalf("%d events of %d in\n%s", got, c.NumEvents(), text)
			}
			if got := strings.Count(text, `fontcolor="#0b5cad"`); got != len(c.Messages()) {
				t.Fatalf("%d messages of %d in\n%s", got, len(c.Messages()), text)
			}
		}
		if strings.Contains(text, "{\n\t\t\n\t\t\n\t}") {
			t.Fatalf("there is a part without an event in\n%s", text)
		}
		if i%10 == 0 {
			graphviz(t, text)
		}
	}
}

// The lanes are one above the other in the order of the processes, and time goes
// to the right.
func TestLanesOfGraphviz(t *testing.T) {
	for _, name := range []string{"figure1", "figure1-slice", "syncs", "general"} {
		p := pictures()[name]
		places := places(t, renderDOT(t, p))
		of := p.Of
		for q := range of.NumProcesses() {
			for k := 1; k <= of.Len(q); k++ {
				at := places[of.ID(of.Event(q, k))]
				if k > 1 {
					before := places[of.ID(of.Event(q, k-1))]
					if before.x >= at.x {
						t.Errorf("%s: event %d of %s is not right of the one before", name, k, of.Processes()[q])
					}
					if d := before.y - at.y; d > 0.05 || d < -0.05 {
						t.Errorf("%s: event %d of %s is not on its lane", name, k, of.Processes()[q])
					}
				}
				if q > 0 && of.Len(q-1) > 0 && places[of.ID(of.Event(q-1, 1))].y <= at.y {
					t.Errorf("%s: %s is not below the process before", name, of.Processes()[q])
				}
			}
		}
	}
}

func TestErrorsForGraphviz(t *testing.T) {
	c := figure1()
	if err := dot.Write(io.Discard, draw.Picture{Of: c, Cut: graphs.Cut{9, 9}}); err == nil {
		t.Error("a cut of no event is drawn")
	}
	reader, writer := io.Pipe()
	reader.Close()
	if err := dot.Write(writer, draw.Picture{Of: c}); err != io.ErrClosedPipe {
		t.Errorf("error of the writer: %v", err)
	}
}
