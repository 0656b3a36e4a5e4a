package viewer

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A row is one of many verdicts: on one formula and one trace, or on one binding of the formula.
type row struct {
	subject
	Name     string `json:"name"`    // the name of the trace
	Verdict  string `json:"verdict"` // or "error", or "open": a later request decides it
	Headline string `json:"headline"`
}

// verdicts has the first rows, failures before others, and counts all of them.
type verdicts struct {
	Rows []row `json:"rows"`
	All  int   `json:"all"`
	Open int   `json:"open"` // how many of all are open
}

// many identifies the rows about one formula and one trace.
type many struct {
	trace   int
	formula string
}

// maxBindings bounds how many bindings of a formula about data have rows.
const maxBindings = 100

// many returns a row for each trace and formula, and for each binding that decides, failures first.
// The query may have the greatest number of rows, and a formula that replaces those of the command
// line. Verdicts are kept. At the time limit of an answer the remaining ones are open, and the next
// request continues from there.
func (v *server) many(asking context.Context, query url.Values) (verdicts, error) {
	most, err := number(query, "most", math.MaxInt)
	if err != nil {
		return verdicts{}, err
	}
	properties := v.properties
	if text := query.Get("formula"); text != "" {
		p, err := v.property(text)
		if err != nil {
			return verdicts{}, err
		}
		properties = []syntax.Property{p}
	}
	asking, cancel := context.WithTimeout(asking, v.opts.Timeout)
	defer cancel()
	all := []row{}
	for _, p := range properties {
		for k := range v.executions {
			all = append(all, v.rowsOf(asking, k, p)...)
		}
	}
	order := []string{rctl.Fails.String(), "error", rctl.Unknown.String(), "open", rctl.Holds.String()}
	rank := func(r row) int { return slices.Index(order, r.Verdict) }
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(rank(a), rank(b)) })
	found := verdicts{Rows: all[:min(len(all), cmp.Or(most, len(all)))], All: len(all)}
	for _, r := range all {
		if r.Verdict == "open" {
			found.Open++
		}
	}
	return found, nil
}

// rowsOf returns the rows about a trace and a property: those of an earlier request, or new ones.
func (v *server) rowsOf(asking context.Context, k int, p syntax.Property) []row {
	key := many{k, p.Source}
	if known, ok := v.rows.Load(key); ok {
		return known.([]row)
	}
	about := row{subject: subject{Trace: k, Formula: p.Source}, Name: graphs.Printable(v.executions[k].Name)}
	decided, err := v.atTurn(asking, v.deciding, func(ctx context.Context) (any, error) {
		return v.decideRows(ctx, about, p)
	})
	rows, _ := decided.([]row)
	switch {
	// The time limit may have cut this verdict short.
	case asking.Err() != nil:
		about.Verdict = "open"
		about.Headline = "not decided yet"
		return []row{about}
	case err != nil:
		about.Verdict = "error"
		about.Headline = failure.Head(err)
		rows = []row{about}
	}
	v.rows.Store(key, rows)
	return rows
}

// decideRows decides a property on a trace. The first row is about the trace. For a formula about
// data, one follows for each binding that decides.
func (v *server) decideRows(ctx context.Context, about row, p syntax.Property) ([]row, error) {
	opts := v.engine()
	e := &v.executions[about.Trace]
	f, found := new(Finding), new(bindings.Result)
	if syntax.NewTemplate(p.Formula) == nil {
		d, err := decide(ctx, &load.Question{Property: p, Execution: e}, nil, opts)
		if err != nil {
			return nil, err
		}
		f = findingOf(p, d.result, outline(ctx, d.Execution.Computation, p, d.Resolved, d.result))
	} else {
		opts.Evidence = true
		res, err := whateverClocks(e, func(times scope.Times) (_ *rctl.Result, depends bool, err error) {
			found, err = bindings.Check(ctx, e.Computation, p.Formula, bindings.Options{
				Options: opts,
				First:   maxBindings,
				Only:    v.opts.Binding,
				Times:   times,
			})
			if err != nil {
				return nil, false, err
			}
			return found.Summary(), found.DependsOnClocks, nil
		})
		if err != nil {
			return nil, err
		}
		f = findingOf(p, res, nil)
	}
	about.Verdict = f.Verdict.String()
	about.Headline = f.Headline
	if f.Verdict == rctl.Unknown {
		about.Headline += ": " + graphs.Printable(f.Detail)
		return []row{about}, nil
	}
	rows := []row{about}
	for _, b := range found.First {
		one := about
		for _, c := range b.Choices() {
			if !load.OnClocks(p.Formula, e) { // else the page is about the whole trace
				one.Binding = append(one.Binding, c.Name+"="+c.Value)
			}
		}
		one.Headline = b.Text()
		if l := outline(ctx, b.Computation, syntax.Property{Formula: b.Formula}, b.Resolved, b.Result); l != nil {
			one.Headline += ": " + l.Reason
		}
		one.Headline = graphs.Printable(one.Headline)
		rows = append(rows, one)
	}
	return rows, nil
}

// writeIndex writes rows as a page with a link to the page of each.
func writeIndex(w http.ResponseWriter, found verdicts) {
	var lines []present.IndexLine
	for _, r := range found.Rows {
		place := url.Values{"trace": {strconv.Itoa(r.Trace)}, "f": {r.Formula}, "binding": r.Binding}
		lines = append(lines, present.IndexLine{
			Verdict: r.Verdict,
			Subject: r.Name,
			Text:    r.Headline,
			Link:    "/#" + place.Encode(),
		})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", present.PagePolicy+"; frame-ancestors 'none'")
	_, _ = w.Write(present.Index(lines)) // an error means that the client has gone
}
