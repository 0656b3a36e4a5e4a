package draw_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/graphs/graphtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// render draws a picture as SVG.
func render(t *testing.T, p draw.Picture) string {
	t.Helper()
	return renderBy(t, draw.SVG, p)
}

// renderBy draws a picture twice.
func renderBy(t *testing.T, write func(io.Writer, draw.Picture) error, p draw.Picture) string {
	t.Helper()
	var first, again bytes.Buffer
	if err := write(&first, p); err != nil {
		t.Fatal(err)
	}
	if err := write(&again, p); err != nil {
		t.Fatal(err)
	}
	if first.String() != again.String() {
		t.Fatal("the same picture twice is not the same bytes")
	}
	return first.String()
}

func TestGolden(t *testing.T) {
	for name, p := range pictures() {
		golden(t, name+".svg", render(t, p))
		golden(t, name+".dot", renderDOT(t, p))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not as it was; rewrite it with -update and look at it", name)
	}
}

// A shape is what a test reads back from a picture.
type shape struct {
	events map[string]int // how often each event is drawn
	links  map[string]int // by class
	texts  []string
}

// parse reads XML, all of it, and fails where it is not well-formed.
func parse(t *testing.T, text string) shape {
	t.Helper()
	s := shape{events: make(map[string]int), links: make(map[string]int)}
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Entity = map[string]string{}
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return s
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, text)
		}
		switch token := token.(type) {
		case xml.CharData:
			s.texts = append(s.texts, string(token))
		case xml.StartElement:
			class := ""
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "class":
					class = a.Value
				case "data-event":
					s.events[a.Value]++
				case "data-from":
					s.links[class]++
				}
			}
		}
	}
}

func checkShape(t *testing.T, p draw.Picture, got shape) {
	t.Helper()
	if len(got.events) != p.Of.NumEvents() {
		t.Errorf("%d events drawn of %d", len(got.events), p.Of.NumEvents())
	}
	for e := graphs.Event(1); e < p.Of.Top(); e++ {
		if n := got.events[strconv.Itoa(int(e))]; n != 1 {
			t.Errorf("%s is drawn %d times", p.Of.ID(e), n)
		}
	}
	messages, transits := 0, 0
	for _, m := range p.Of.Messages() {
		if m.Recv == graphs.Bottom {
			transits++
		} else {
			messages++
		}
	}
	if got.links["message"] != messages || got.links["transit"] != transits {
		t.Errorf("drawn %v, and there are %d messages and %d in transit", got.links, messages, transits)
	}
	general := make(map[graphs.Edge]bool)
	for _, e := range p.Of.Edges() {
		if e.From != e.To {
			general[e] = true
		}
	}
	if got.links["general"] != len(general) {
		t.Errorf("%d general edges drawn of %d", got.links["general"], len(general))
	}
}

func TestEverythingOnce(t *testing.T) {
	for name, p := range pictures() {
		if p.MaxEvents > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			checkShape(t, p, parse(t, render(t, p)))
		})
	}
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	big := graphtest.Config{Processes: 9, Events: 120, Kinds: graphtest.AllKinds | graphtest.EmptyOnes}
	for i := range graphtest.Rounds(t, 120) {
		cfg := graphtest.Config{Processes: 4, Events: 14, Kinds: graphtest.AllKinds | graphtest.EmptyOnes}
		if i%20 == 0 {
			cfg = big
		}
		p := randomPicture(r, graphtest.Random(r, cfg))
		got := parse(t, render(t, p))
		if p.MaxEvents < 0 || p.MaxEvents >= p.Of.NumEvents() {
			checkShape(t, p, got)
		}
		if t.Failed() {
			t.Fatalf("picture %d: %+v", i, p)
		}
	}
}

// What a name says is shown or told as it is, wherever XML can say it.
func TestNamesAreTold(t *testing.T) {
	p := pictures()["names"]
	all := strings.Join(parse(t, render(t, p)).texts, "\x00")
	for _, want := range []string{`a"b`, `c\`, `<&>`, `&lt;`, `{f|g}`, `\N`, `% ; // /* #`, `-->`, `m"<1>\`, `&amp;`, `<b>&amp;"quoted"</b>`, "进程 三 🚀 a name that is much too long to be shown in full"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in the picture", want)
		}
	}
}

func TestLegendExplainsWhatIsThere(t *testing.T) {
	want := map[string][]draw.Mark{
		"figure1":       {draw.EventMark, draw.MessageMark},
		"figure1-slice": {draw.EventMark, draw.ForcedMark, draw.ExcludedMark, draw.MessageMark, draw.AddedMark, draw.MetaMark, draw.BottomMark, draw.TopMark},
		"figure1-ef":    {draw.EventMark, draw.ExcludedMark, draw.MessageMark, draw.AddedMark, draw.TopMark},
		"figure1-run":   {draw.EventMark, draw.MessageMark, draw.CutMark, draw.RunMark},
		"figure1-part":  {draw.EventMark, draw.CutMark, draw.HiddenMark},
		"no-cut":        {draw.ExcludedMark, draw.MessageMark, draw.AddedMark, draw.BottomMark, draw.TopMark},
		"missing":       {draw.EventMark, draw.MessageMark, draw.MissingMark},
		"syncs":         {draw.EventMark, draw.MessageMark, draw.TransitMark, draw.CausalMark, draw.SyncMark},
		"general":       {draw.EventMark, draw.ForcedMark, draw.ExcludedMark, draw.MessageMark, draw.GeneralMark, draw.MetaMark, draw.BottomMark, draw.TopMark},
		"names":         {draw.EventMark, draw.MessageMark, draw.GeneralMark},
		"empty":         nil,
	}
	all := pictures()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s, err := all[name].Scene()
		if err != nil {
			t.Fatal(err)
		}
		var got []draw.Mark
		for _, e := range s.Legend() {
			got = append(got, e.Mark)
		}
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s: the legend explains %v, not %v", name, got, want[name])
		}
	}
}

// The slice of Figure 1(c): f2 and f3 are a meta-event, e1 and f1 are in every
// cut and e3 in none.
func TestFigure1Slice(t *testing.T) {
	p := pictures()["figure1-slice"]
	s, err := p.Scene()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Meta) != 1 || !slices.Equal(s.Meta[0], []graphs.Event{5, 6}) {
		t.Errorf("meta-events %v", s.Meta)
	}
	want := []draw.Mark{draw.ForcedMark, draw.EventMark, draw.ExcludedMark, draw.ForcedMark, draw.EventMark, draw.EventMark}
	for i, e := range s.Events {
		if s.Status(e) != want[i] {
			t.Errorf("%s: status %d, not %d", p.Of.ID(e), s.Status(e), want[i])
		}
	}
}

// What is left out has happened.
func TestInitialOfAPart(t *testing.T) {
	s, err := pictures()["figure1-part"].Scene()
	if err != nil {
		t.Fatal(err)
	}
	if x, y := s.Initial(0), s.Initial(1); !slices.Equal(x, []string{"x = 2"}) || !slices.Equal(y, []string{"y = 1"}) {
		t.Errorf("%q and %q before what is drawn", x, y)
	}
}

func TestTooManyEvents(t *testing.T) {
	var b graphs.Builder
	p := b.Process("P")
	for range draw.DefaultMaxEvents + 1 {
		b.Event(p)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		p             draw.Picture
		before, after int
	}{
		{draw.Picture{Of: c}, 0, 1},
		{draw.Picture{Of: c, MaxEvents: -1}, 0, 0},
		{draw.Picture{Of: c, MaxEvents: 2001}, 0, 0},
		{draw.Picture{Of: c, MaxEvents: 9, Cut: graphs.Cut{100}}, 94, 1898},
	} {
		s, err := test.p.Scene()
		if err != nil {
			t.Fatal(err)
		}
		if before, after := s.Hidden(); before != test.before || after != test.after || len(s.Events) != 2001-before-after {
			t.Errorf("at most %d: %d before and %d after", test.p.MaxEvents, before, after)
		}
	}
	// Without a cut nothing says which events to draw.
	none := c.With([]graphs.Edge{{From: c.Top(), To: graphs.Bottom}})
	if err := draw.SVG(io.Discard, draw.Picture{Of: none}); err == nil || !strings.Contains(err.Error(), "--max-events") {
		t.Errorf("2001 events without a cut: %v", err)
	}
}

func TestRefused(t *testing.T) {
	c := figure1()
	for _, p := range []draw.Picture{
		{Of: c, Cut: graphs.Cut{1}},
		{Of: c, Cut: graphs.Cut{1, 4}},
		{Of: c, Cut: graphs.Cut{-1, 0}},
		{Of: c, Run: []graphs.Event{1, c.Top()}},
		{Of: c, Run: []graphs.Event{graphs.Bottom}},
		{Of: c, Added: []graphs.Edge{{From: 1, To: c.Top() + 1}}},
	} {
		if err := draw.SVG(io.Discard, p); err == nil {
			t.Errorf("%+v is drawn", p)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestErrorsOfTheWriter(t *testing.T) {
	if err := draw.SVG(full{}, draw.Picture{Of: figure1()}); err != io.ErrShortWrite {
		t.Error(err)
	}
}
