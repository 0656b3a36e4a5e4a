package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// serveName is the name of a command that runs until it is told to end.
const serveName = "serve"

func (s *session) serveCommand() *cli.Command {
	return s.command(1, -1, cli.Command{
		Name:      serveName,
		Usage:     "show traces and verdicts in a browser",
		ArgsUsage: "TRACE...",
		Description: "Prints an address on this machine that a browser shows: the diagram of a trace, what\n" +
			"is true at each cut, and the verdict of any formula that is typed there. Ctrl-C ends it.\n\n" +
			"   pota serve run.jsonl\n" +
			"   pota serve --formula 'AG(!(cs@P1 && cs@P2))' run1.jsonl run2.jsonl\n" +
			"   pota serve -f properties.txt run.jsonl\n\n" +
			"Guide: pota help viewer.",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "formula", Usage: "offer `FORMULA`; the first is shown at first (may be repeated)"},
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "offer the formulas of `FILE`, one `name: formula` a line"},
			&cli.StringSliceFlag{Name: "property", Aliases: []string{"p"}, Usage: "offer a `PATTERN` such as mutex:cs (may be repeated)"},
			&cli.IntFlag{Name: "port", Usage: "listen on `PORT`, 0 for any that is free"},
			&cli.DurationFlag{Name: "timeout", Value: 10 * time.Second, Usage: "what is not decided after `TIME` is unknown"},
			&cli.IntFlag{Name: "max-events", Value: savedEvents, Usage: "send at most `N` events at a time"},
			limitFlags(0)[1],
		}, inputFlags()),
		Action: s.serve,
	})
}

// A server answers the page. It decides one question at a time.
type server struct {
	*session
	unit       time.Duration
	executions []format.Execution
	formulas   []string
	page       *view.Page
	patience   time.Duration
	most       int // events of a window

	mu    sync.Mutex
	asked []*asked // the last ones, newest last
}

// asked is what was asked about an execution, and the last window of it.
type asked struct {
	trace   int
	formula string
	*viewing
	run   int
	place string
	shown *view.Window // nil at first
}

// mostAsked is how many answers are kept.
const mostAsked = 8

func (s *session) serve(c *cli.Context) error {
	in, err := s.inputOf(c, nil, true)
	if err != nil {
		return err
	}
	properties, err := s.properties(c, c.StringSlice("formula")...)
	if err != nil {
		return err
	}
	v := &server{session: s, unit: in.unit, page: view.NewPage(true), patience: c.Duration("timeout"), most: max(c.Int("max-events"), 1)}
	for _, p := range properties {
		v.formulas = append(v.formulas, p.Source)
	}
	s.each(in, c.Args().Slice(), func(e *format.Execution) { v.executions = append(v.executions, *e) })
	if s.status != allHold {
		return nil // what is wrong has been said
	}
	l, err := listen(c.Int("port"))
	if err != nil {
		return err
	}
	port := strconv.Itoa(l.Port())
	hosts := []string{"127.0.0.1:" + port, "localhost:" + port}
	fmt.Fprintf(s.out, "http://%s/\n", hosts[0])
	s.flush()
	defer context.AfterFunc(s.ctx, func() { l.Close() })() //nolint:errcheck // nothing is left to do
	err = (&site{hosts, headersOf(v.page), v.answer}).serve(l)
	if s.ctx.Err() == nil {
		return err
	}
	s.ended = true
	return nil
}

// headersOf returns the headers of every response: what the page may do, and that nobody
// else may use it.
func headersOf(page *view.Page) []string {
	return []string{
		"Content-Security-Policy: " + page.Policy + "; frame-ancestors 'none'",
		"X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Cache-Control: no-store",
		"Cross-Origin-Resource-Policy: same-origin", "Cross-Origin-Opener-Policy: same-origin",
	}
}

// answer answers a request.
func (v *server) answer(r request) response {
	answer, ok := map[string]func(context.Context, request) (any, error){"/data": v.data, "/truth": v.truth, "/slice": v.slice}[r.path]
	switch {
	case r.path == "/":
		var page bytes.Buffer
		if err := v.page.Write(&page, nil); err != nil {
			panic("this cannot happen, because memory takes everything: " + err.Error())
		}
		return response{kind: "text/html; charset=utf-8", body: page.Bytes()}
	case r.path == "/favicon.ico":
		return response{status: 204}
	case !ok:
		return response{404, "text/plain; charset=utf-8", []byte("there is nothing here\n")}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	data, err := do(v.session, "answering", func(ctx context.Context) (any, error) { return answer(ctx, r) })
	body := response{kind: "application/json; charset=utf-8"}
	if err != nil {
		body.status, data = 422, map[string]string{"error": errorText(err)}
	}
	if body.body, err = json.Marshal(data); err != nil {
		panic("this cannot happen, because answers are data: " + err.Error())
	}
	return body
}

// number reads a parameter that is a number, 0 where there is none.
func number(r request, name string) (int, error) {
	text := r.query.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, usagef("%s must be a number, not %q", name, text)
	}
	return n, nil
}

// ask returns what is shown of the trace and the formula that a request names.
func (v *server) ask(ctx context.Context, r request) (*asked, error) {
	k, err := number(r, "trace")
	if err != nil || k >= len(v.executions) {
		return nil, usagef("there is no trace %s", r.query.Get("trace"))
	}
	text := r.query.Get("formula")
	if i := slices.IndexFunc(v.asked, func(a *asked) bool { return a.trace == k && a.formula == text }); i >= 0 {
		a := v.asked[i]
		v.asked = append(slices.Delete(v.asked, i, i+1), a)
		return a, nil
	}
	e := &v.executions[k]
	a := &asked{trace: k, formula: text}
	var resolved *syntax.Formula
	property := syntax.Property{Source: text}
	ctx, cancel := context.WithTimeout(ctx, v.patience)
	defer cancel()
	if text != "" {
		if property.Formula, err = parse(text); err != nil {
			return nil, err
		}
		if resolved, err = syntax.Resolve(ctx, property.Formula, rctl.Scope(e.Computation)); err != nil {
			if ctx.Err() != nil {
				return nil, &limitError{reached(fmt.Sprintf("the time limit of %s was reached", v.patience)), "expanding quantifiers"}
			}
			return nil, &formulaError{err: err}
		}
	}
	if a.viewing, err = newViewing(ctx, e, v.unit, property, resolved, rctl.Options{MaxMemory: v.budget.memory(1)}); err != nil {
		return nil, err
	}
	if len(v.asked) == mostAsked {
		v.asked = slices.Delete(v.asked, 0, 1)
	}
	v.asked = append(v.asked, a)
	return a, nil
}

// windowOf returns what a request asks about, with the window that it names.
func (v *server) windowOf(ctx context.Context, r request) (*asked, error) {
	a, err := v.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	run, err := number(r, "run")
	if err != nil {
		return nil, err
	}
	if place := r.query.Get("place"); a.shown == nil || a.run != run || a.place != place {
		w, err := a.window(run, place, v.most)
		if err != nil {
			return nil, err
		}
		a.run, a.place, a.shown = run, place, w
	}
	return a, nil
}

// data answers with a window.
func (v *server) data(ctx context.Context, r request) (any, error) {
	a, err := v.windowOf(ctx, r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond) // the page asks for what it shows
	defer cancel()
	d, err := a.page(ctx, a.shown, a.run)
	if err != nil {
		return nil, err
	}
	d.Served, d.Trace, d.Formulas, d.Slices = true, a.trace, v.formulas, []*partSlice{}
	for _, e := range v.executions {
		d.Traces = append(d.Traces, graphs.Printable(e.Name))
	}
	return d, nil
}

// truth answers with the truth of a part of the formula at a cut of a window: counts of
// events of the processes that are shown.
func (v *server) truth(ctx context.Context, r request) (any, error) {
	a, err := v.windowOf(ctx, r)
	if err != nil {
		return nil, err
	}
	part, err := number(r, "part")
	if err != nil || a.truth == nil || part >= a.truth.Len() {
		return nil, usagef("there is no part %s", r.query.Get("part"))
	}
	counts, ok := view.ParseCounts(a.shown.Of, r.query.Get("cut"))
	if !ok {
		return nil, usagef("there is no cut %q", r.query.Get("cut"))
	}
	ctx, cancel := context.WithTimeout(ctx, v.patience)
	defer cancel()
	verdict, reason, err := a.truth.At(ctx, part, counts.Join(a.shown.Least))
	if err != nil {
		return nil, err
	}
	return map[string]string{"verdict": verdict.String(), "reason": reason}, nil
}

// slice answers with the slice for a part of the formula.
func (v *server) slice(ctx context.Context, r request) (any, error) {
	a, err := v.windowOf(ctx, r)
	if err != nil {
		return nil, err
	}
	part, err := number(r, "part")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, v.patience)
	defer cancel()
	return a.sliceOf(ctx, a.shown, part)
}
