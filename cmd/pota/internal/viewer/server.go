package viewer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/view"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
)

// ServeOptions choose the traces and formulas, and limit an answer.
type ServeOptions struct {
	Traces    []string // none for standard input
	Read      load.Options
	Formulas  load.Formulas     // the formulas to choose from
	Port      int               // 0 for any free one
	Timeout   time.Duration     // the time limit of an answer
	MaxEvents int               // how many events are sent at a time
	Binding   []bindings.Choice // for formulas about data; nil for the first that decides
}

// A server answers the requests of the page. Questions about different formulas or traces are
// answered at the same time, and share the memory of the run.
type server struct {
	run        *job.Run
	in         *load.Reader
	hosts      []string // the names by which it may be called, with the port
	executions []format.Execution
	properties []syntax.Property
	page       *view.Page
	opts       ServeOptions
	began      time.Time // a time before anything was read

	answering chan struct{} // holds an element for each question that is being answered

	mu    sync.Mutex
	asked []*asked // the last questions, the newest one last

	rows     sync.Map      // the decided rows: a []row for each many
	deciding chan struct{} // holds an element while rows are being decided
}

// asked is a question about an execution, with the answer and its last window. The page asks about
// the same formula again and again, at each step of the user.
type asked struct {
	subject
	turn     chan struct{} // holds an element while the other fields are in use
	*viewing               // nil before it is decided
	run      int
	place    string
	shown    *layout.Window // nil at first
}

const (
	maxAsked     = 8 // how many answers are kept
	maxAnswering = 4 // how many questions are answered at the same time
)

// Serve serves the page until the run is interrupted. It prints the address.
func Serve(r *job.Run, opts ServeOptions) error {
	began := time.Now()
	in, err := load.New(r, opts.Read, load.Want{Names: true, Times: true, Places: true})
	if err != nil {
		return err
	}
	// Formulas are parsed at the start, so that the page offers none with a mistake.
	properties, err := load.Properties(r, opts.Formulas)
	if err != nil {
		return err
	}
	v := &server{
		run:        r,
		in:         in,
		properties: properties,
		page:       view.NewPage(true),
		opts:       opts,
		began:      began,
		answering:  make(chan struct{}, maxAnswering),
		deciding:   make(chan struct{}, 1),
	}
	paths := opts.Traces
	if len(paths) == 0 {
		// pota serve < trace needs no argument.
		paths = []string{"-"}
	}
	in.Each(r, paths, func(e *format.Execution) { v.executions = append(v.executions, *e) })
	if r.Status != exit.AllHold {
		return nil // the errors have been reported
	}

	// Listen only when everything has been read: a user who sees the address can use the page.
	l, err := net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(opts.Port)))
	if err != nil {
		return err
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	// A page of another site could otherwise reach this server under its own name (DNS rebinding).
	v.hosts = []string{net.JoinHostPort(loopback, port), net.JoinHostPort("localhost", port)}
	fmt.Fprintf(r.Console.Out, "http://%s/\n", v.hosts[0])
	r.Flush(r.Console)
	return v.serve(l)
}

// serve answers the requests to a listener until the run is interrupted.
func (v *server) serve(l net.Listener) error {
	server := &http.Server{
		// A client that sends slowly, or not at all, must not hold a connection for ever.
		Handler:           v,
		ReadHeaderTimeout: readTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       writeTimeout,
		MaxHeaderBytes:    maxRequest,
		ErrorLog:          log.New(v.run.Console.Err, "pota: ", 0),
	}
	// A signal ends open connections, too: pages wait for nothing.
	stop := context.AfterFunc(v.run.Context, func() { _ = server.Close() }) // an error has no consequence
	defer stop()
	err := server.Serve(l)
	if v.run.Context.Err() == nil {
		return err
	}
	// An interrupt is the only way to end the server, so the run is not undecided.
	v.run.Stopped = true
	return nil
}

// loopback is the address that only this machine can reach.
const loopback = "127.0.0.1"

const (
	maxRequest   = 1 << 20 // bytes
	readTimeout  = 10 * time.Second
	writeTimeout = time.Minute
)

// ServeHTTP implements http.Handler. It refuses requests that come neither from the page nor from a
// user who opens it. No request can change anything.
func (v *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      v.page.Policy + "; frame-ancestors 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
	} {
		w.Header().Set(name, value)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	switch {
	case !slices.Contains(v.hosts, r.Host) || r.URL.Path != "/" && foreign(r):
		http.Error(w, "this address serves only its own page", http.StatusForbidden)
	case r.Method != http.MethodGet:
		http.Error(w, "nothing can be changed here", http.StatusMethodNotAllowed)
	// A broken query would be read as one with parameters left out.
	case err != nil:
		http.Error(w, "this is not a query", http.StatusBadRequest)
	default:
		v.answer(r.Context(), w, r.URL.Path, query)
	}
}

// foreign reports whether a browser sends a request for the page of another site. Such a page could
// not read the answers, but could keep this machine busy. The rule is that of pota watch. The
// method is changed because http lets every GET pass. A link from another site gets the page
// itself.
func foreign(r *http.Request) bool {
	changing := *r
	changing.Method = http.MethodPost
	return http.NewCrossOriginProtection().Check(&changing) != nil
}

// An answer computes the data about a query, to be sent in JSON.
type answer func(context.Context, *asked, url.Values) (any, error)

// answer answers a request. The time to decide does not count for the time to write, so the
// deadline of writing begins after the decision.
func (v *server) answer(ctx context.Context, w http.ResponseWriter, path string, query url.Values) {
	var data any
	var err error
	switch path {
	case "/": // requests the rest later
	case "/many", "/all":
		data, err = v.many(ctx, query)
	case "/data":
		data, err = v.ask(ctx, v.data, query)
	case "/truth":
		data, err = v.ask(ctx, v.truth, query)
	case "/slice":
		data, err = v.ask(ctx, v.slice, query)
	case "/line":
		data, err = v.ask(ctx, v.line, query)
	// Browsers request it on their own, and an error would look like an error of the page.
	case "/favicon.ico":
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		http.Error(w, "there is nothing here", http.StatusNotFound)
		return
	}
	// Connections have deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	switch {
	case path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = v.page.Write(w, nil) // an error means that the client has gone
	case path == "/all" && err == nil:
		writeIndex(w, data.(verdicts))
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if err != nil {
			w.WriteHeader(http.StatusUnprocessableEntity)
			data = map[string]string{"error": failure.Text(err)}
		}
		// The status has been sent, so an error ends the connection.
		if json.NewEncoder(w).Encode(data) != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// ask answers a question. Questions about the same trace and formula take turns, and all of them
// use the decision of the first. At most maxAnswering questions are answered at a time. A question
// is dropped when the browser no longer waits for it: a user who types a formula also asks about
// its beginnings.
func (v *server) ask(asking context.Context, answer answer, query url.Values) (any, error) {
	a, err := v.find(query)
	if err != nil {
		return nil, err
	}
	return v.atTurn(asking, a.turn, func(ctx context.Context) (any, error) {
		// Drop the question if it could not be decided, such as one about a half-typed formula.
		// Otherwise drop the oldest question beyond maxAsked: answers hold runs and slices, so
		// their number bounds the memory.
		defer func() {
			v.mu.Lock()
			defer v.mu.Unlock()
			if a.viewing == nil {
				v.asked = slices.DeleteFunc(v.asked, func(b *asked) bool { return a == b })
			}
			v.asked = slices.Delete(v.asked, 0, max(0, len(v.asked)-maxAsked))
		}()
		if err := v.decideOn(ctx, a, query); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, v.opts.Timeout)
		defer cancel()
		return answer(ctx, a, query)
	})
}

// atTurn does some work when the earlier work with the same turn is done, and when fewer than
// maxAnswering other questions are being answered.
func (v *server) atTurn(asking context.Context, turn chan struct{}, work func(context.Context) (any, error)) (any, error) {
	for _, turn := range []chan struct{}{turn, v.answering} {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-asking.Done():
			return nil, asking.Err()
		}
	}
	return job.Do(v.run, "answering", func(ctx context.Context) (any, error) {
		// Either the budget or the browser ends the question.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stop := context.AfterFunc(asking, cancel)
		defer stop()
		return work(ctx)
	})
}

// number reads a parameter that is a number from 0 to below limit. If it is missing, it is 0.
func number(query url.Values, name string, limit int) (int, error) {
	text := query.Get(name)
	n, err := strconv.Atoi(cmp.Or(text, "0"))
	if err != nil || n < 0 || n >= limit {
		return 0, exit.Usagef("there is no %s %s", name, text)
	}
	return n, nil
}

// find returns the question of a request: an earlier one about the same subject, or a new one.
func (v *server) find(query url.Values) (*asked, error) {
	k, err := number(query, "trace", len(v.executions))
	if err != nil {
		return nil, err
	}
	formula := query.Get("formula")
	// A page that opens does not know yet which formulas there are.
	if !query.Has("formula") && len(v.properties) > 0 {
		formula = v.properties[0].Source
	}
	binding := slices.DeleteFunc(query["binding"], func(text string) bool { return text == "" })
	a := &asked{subject: subject{k, binding, formula}, turn: make(chan struct{}, 1)}
	v.mu.Lock()
	defer v.mu.Unlock()
	same := func(b *asked) bool {
		return b.Trace == k && b.Formula == formula && slices.Equal(b.Binding, binding)
	}
	if i := slices.IndexFunc(v.asked, same); i >= 0 {
		a = v.asked[i]
		v.asked = slices.Delete(v.asked, i, i+1)
	}
	// The question used last is dropped last.
	v.asked = append(v.asked, a)
	return a, nil
}

// decideOn makes the viewing of a, if there is none yet, and the window of a request.
func (v *server) decideOn(ctx context.Context, a *asked, query url.Values) error {
	run, err := number(query, "run", math.MaxInt)
	if err != nil {
		return err
	}
	if a.viewing == nil {
		limited, cancel := context.WithTimeout(ctx, v.opts.Timeout)
		defer cancel()
		decided, err := v.view(limited, a)
		// The error of the context alone would not say which limit it was. Those of the run say so.
		if err != nil && limited.Err() == context.DeadlineExceeded {
			limit := fmt.Sprintf("the time limit of %s was reached", v.opts.Timeout)
			err = &budget.LimitError{Limit: limit, Doing: "deciding"}
		}
		// A verdict may be unknown because nobody waits any more. The next request may decide it.
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		a.viewing = decided
	}
	// A step of the user changes the cut and not the window, so the window is kept.
	if place := query.Get("place"); a.shown == nil || a.run != run || a.place != place {
		// Keep the run and the place if the window cannot be made.
		w, err := a.window(run, place, max(v.opts.MaxEvents, 1))
		if err != nil {
			return err
		}
		a.run = run
		a.place = place
		a.shown = w
	}
	return nil
}

// property returns the property with a text. The user may type any formula.
func (v *server) property(text string) (syntax.Property, error) {
	for _, p := range v.properties {
		if p.Source == text {
			return p, nil
		}
	}
	formula, err := load.Parse(text)
	return syntax.Property{Formula: formula, Source: text}, err
}

// view makes the viewing of a.
func (v *server) view(ctx context.Context, a *asked) (*viewing, error) {
	q := &load.Question{Execution: &v.executions[a.Trace]}
	if a.Formula == "" {
		return newViewing(ctx, q, nil, v.engine())
	}
	p, err := v.property(a.Formula)
	if err != nil {
		return nil, err
	}
	only, err := load.Choices(a.Binding)
	if err != nil {
		return nil, err
	}
	if len(only) == 0 {
		only = v.opts.Binding
	}
	q.Property = p
	q.Assumed = v.in.Assumptions(p.Formula)
	return newViewing(ctx, q, only, v.engine())
}

// engine returns the options of a decision, with its share of the memory that is free now.
func (v *server) engine() rctl.Options {
	return rctl.Options{MaxMemory: v.run.Budget.Memory(max(1, len(v.answering)))}
}

// data answers with a window.
func (v *server) data(ctx context.Context, a *asked, _ url.Values) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond) // the page requests the rest when it shows it
	defer cancel()
	d, err := a.page(ctx, a.shown, a.run)
	if err != nil {
		return nil, err
	}
	d.Served = true
	// The subject has the formula as asked, not that of one binding, about which the page could not
	// ask.
	d.subject = a.subject
	for _, p := range v.properties {
		d.Formulas = append(d.Formulas, p.Source)
	}
	p, _ := v.property(a.Formula) // it has been decided, so there is no error
	d.Many = len(v.executions) > 1 || p.Formula != nil && syntax.NewTemplate(p.Formula) != nil
	// Names come with each answer, because the page keeps no state.
	for _, e := range v.executions {
		d.Traces = append(d.Traces, graphs.Printable(e.Name))
	}
	return d, nil
}

// truth answers with the truth of a part of the formula at a cut of a window.
func (v *server) truth(ctx context.Context, a *asked, query url.Values) (any, error) {
	part, err := number(query, "part", a.parts())
	if err != nil {
		return nil, err
	}
	// The counts are those of events in the window.
	counts, ok := view.ParseCounts(a.shown.Of, query.Get("cut"))
	if !ok {
		return nil, exit.Usagef("there is no cut %q", query.Get("cut"))
	}
	verdict, reason, err := a.truth.At(ctx, part, counts.Join(a.shown.Least))
	if err != nil {
		return nil, err
	}
	return map[string]string{"verdict": verdict.String(), "reason": reason}, nil
}

// slice answers with the slice for a part of the formula.
func (v *server) slice(ctx context.Context, a *asked, query url.Values) (any, error) {
	part, err := number(query, "part", a.parts())
	if err != nil {
		return nil, err
	}
	return a.sliceOf(ctx, a.shown, part)
}

// line answers with the line of the log for an event of a window, or why it is not shown: a file
// that has changed would show another line.
func (v *server) line(_ context.Context, a *asked, query url.Values) (any, error) {
	n, err := number(query, "event", a.shown.Len())
	if err != nil {
		return nil, err
	}
	// The page knows events by their numbers in the window.
	at := a.shown.Of.Place(a.shown.Event(int32(n)))
	text := ""
	if hasLine(at) {
		var lines map[int][]byte
		lines, err = trace.LinesAt(at.File, []int{at.Line}, maxLine+1)
		text = shownLine(lines[at.Line], maxLine)
	}
	// Better no line than the wrong one.
	if info, err := os.Stat(at.File); err == nil && info.ModTime().After(v.began) {
		return map[string]string{"refused": graphs.Printable(at.File) + " has changed since it was read"}, nil
	}
	if err != nil {
		return map[string]string{"refused": graphs.Printable(err.Error())}, nil
	}
	return map[string]string{"text": text}, nil
}
