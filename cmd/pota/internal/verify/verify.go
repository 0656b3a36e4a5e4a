// Package verify checks certificates against their traces. Package certificate checks the proofs,
// and shares no code with the engines. A verdict without a proof is decided again by other engines.
//
// A certificate is matched with a trace by the SHA-256 of the trace's bytes, and must have been
// made under the same options for reading. A mismatch is a rejection, not an error, since the
// author of the certificates need not be trusted. So for an accepted certificate, the output has
// the path that the user gave and the formula as it was parsed, and no other text of the file.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options choose the certificates, and the details of the output.
type Options struct {
	File    string   // the file of certificates
	Traces  []string // the traces that they are about
	Read    load.Options
	JSON    bool
	Explain bool // print the argument of each proof
	Bounded bool // whether a flag bounds time or memory; engines may then use all of it

	// MinMemory is the memory, in bytes, that each engine gets at first to decide again. Only a
	// flag allows more. Zero stands for 256 MiB.
	MinMemory int64
}

// A Result is the result for one certificate.
type Result struct {
	report.Subject
	Verdict  string   `json:"verdict"`
	Result   string   `json:"result"`
	Kind     string   `json:"kind,omitempty"` // the rule of the proof
	Reason   string   `json:"reason,omitempty"`
	Argument []string `json:"argument,omitempty"`

	title string // the property, for people
	found bool   // whether its trace was given
}

// is sets the result and its reason.
func (r *Result) is(what, why string) {
	r.Result = what
	r.Reason = why
	r.Argument = nil
}

// The possible results.
const (
	certified  = "certified"  // its proof was checked
	recomputed = "recomputed" // it has no proof, and another engine decides the same
	unknown    = "unknown"    // no other engine decides it within the limits
	rejected   = "rejected"
)

// A verifier verifies certificates on some executions.
type verifier struct {
	run        *job.Run
	in         *load.Reader
	opts       Options
	executions []execution
}

// An execution is an execution with the path that the user gave, and the part of its name after the
// path.
type execution struct {
	format.Execution
	path, part string
}

// named reports whether a certificate names the execution's file as its trace.
func (x *execution) named(claim *certify.Certificate) bool {
	claimed, given := filepath.Clean(claim.Trace), filepath.Clean(x.path)
	return claimed == given || strings.HasPrefix(claimed, given+"#")
}

// Certificates verifies all certificates of a file and prints the result for each. The status of
// the run is SomeFails if one is rejected, and otherwise Undecided if one is not certified.
func Certificates(r *job.Run, opts Options) error {
	claims, err := readClaims(r, opts.File, opts.Read.MaxLine)
	if err != nil {
		return err
	}
	// Read only the variables of the formulas, as when the verdicts were decided.
	want := load.Want{Variables: make(map[string]bool), Digest: true}
	for _, claim := range claims {
		if f, err := syntax.Parse(claim.Formula); err == nil {
			maps.Copy(want.Variables, syntax.Names(f))
			want = want.With(f)
		}
	}
	opts.MinMemory = cmp.Or(opts.MinMemory, 1<<28)
	v := &verifier{run: r, opts: opts}
	if v.in, err = load.New(r, opts.Read, want); err != nil {
		return err
	}
	// Names of executions begin with the path. The rest does not depend on the location of the file.
	for _, path := range opts.Traces {
		v.in.Each(r, []string{path}, func(e *format.Execution) {
			v.executions = append(v.executions,
				execution{*e, path, strings.TrimPrefix(e.Name, path)})
		})
	}
	// Errors in reading have been reported, and all certificates would be rejected.
	if len(v.executions) == 0 {
		return nil
	}

	// A certificate must not be rejected because its trace could not be read.
	incomplete := r.Status != exit.AllHold
	for _, claim := range claims {
		result, err := v.verify(claim)
		if err != nil {
			return err
		}
		if incomplete && !result.found && result.Result == rejected {
			result.Result = unknown
			result.Reason += ", or it could not be read"
		}
		// A rejected certificate takes precedence over one that is not certified.
		switch {
		case result.Result == rejected && r.Status != exit.BadInput:
			r.Status = exit.SomeFails
		case result.Result != certified && r.Status == exit.AllHold:
			r.Status = exit.Undecided
		}
		// Print results one by one, since each may take seconds.
		v.print(result)
		r.Flush(r.Console)
	}
	return nil
}

// verify verifies a certificate. It returns an error if the trace cannot be inspected.
func (v *verifier) verify(claim *certify.Certificate) (*Result, error) {
	result := &Result{
		Subject: report.Subject{Trace: claim.Trace, Name: claim.Name, Formula: claim.Formula},
		Verdict: claim.Verdict,
	}
	result.title = result.Title()
	err := v.check(result, claim)
	// The certificate may be valid, so it is unknown rather than rejected.
	if failure.IsLimit(err) {
		result.is(unknown, err.Error())
		return result, nil
	}
	return result, err
}

// check fills in the result for a certificate. The error may be a limit.
func (v *verifier) check(result *Result, claim *certify.Certificate) error {
	e, why, err := v.find(claim)
	if err != nil {
		return err
	}
	if result.found = e != nil; result.found {
		result.Trace = e.Name
	}
	f, err := syntax.Parse(claim.Formula)
	if err == nil {
		result.Formula = f.String() // without comments, which could contain another claim
		result.title = result.Formula
	}
	// As in a property file, quote a name unless it is plain.
	if err == nil && claim.Name != "" {
		result.title = syntax.Property{Name: claim.Name, Formula: f}.String()
	}
	if why != "" {
		result.is(rejected, why)
		return nil
	}
	switch {
	case err != nil:
		result.is(rejected, "it is about no formula: "+err.Error())
	// The certificate names no engine, so only the proof counts.
	case claim.Engine == "":
		return v.checkProof(result, claim, f, e)
	case claim.Version != certificate.Version:
		result.is(rejected,
			fmt.Sprintf("it has version %d, not %d", claim.Version, certificate.Version))
	default:
		return v.recompute(result, claim, f, e)
	}
	return nil
}

// checkProof checks the proof of a certificate.
func (v *verifier) checkProof(result *Result, claim *certify.Certificate, f *syntax.Formula, e *format.Execution) error {
	err := v.run.Try("checking a certificate", func(ctx context.Context) error {
		times := load.Times(e, claim.Verdict == rctl.Fails.String())
		if claim.Proof != nil && claim.Proof.Rule == certificate.Bindings {
			return v.checkBindings(ctx, result, claim, f, e, times)
		}
		k, err := certificate.NewWith(ctx, e.Computation, f, times)
		if err != nil {
			return err
		}
		// Collecting the argument uses memory, so do it only on request.
		if v.opts.Explain {
			argument := certify.NewArgument(e.Computation)
			k.Step = argument.Add
			defer func() { result.Argument = argument.Lines() }()
		}
		return k.Check(claim.Version, claim.Verdict, claim.Proof)
	})
	if failure.IsLimit(err) {
		return err
	}
	if err != nil {
		result.is(rejected, present.OneLine(err.Error()))
		return nil
	}
	result.Result = certified
	// The checker accepted the verdict although the certificate has no proof.
	result.Kind = "forced"
	if claim.Proof != nil {
		result.Kind = claim.Proof.Rule
	}
	return nil
}

// maxExplained bounds how many shapes of bindings are explained.
const maxExplained = 10

// checkBindings checks a proof by shapes of bindings, for a formula about data.
func (v *verifier) checkBindings(ctx context.Context, result *Result, claim *certify.Certificate, f *syntax.Formula, e *format.Execution, times scope.Times) error {
	var step func(*certificate.Shape, *certificate.Checker)
	var last *certify.Argument
	end := func() { // adds the lines of the last shape
		if last != nil {
			result.Argument = append(result.Argument, last.Lines()...)
		}
		last = nil
	}
	if v.opts.Explain {
		step = func(s *certificate.Shape, k *certificate.Checker) {
			if end(); s.Number >= maxExplained && s.Number != claim.Proof.Which {
				return
			}
			var names []string
			for _, b := range s.First {
				names = append(names, b.Name+" = "+b.Text)
			}
			result.Argument = append(result.Argument, fmt.Sprintf("shape %d, first that of %s: %s",
				s.Number+1, strings.Join(names, ", "), s.Formula))
			last = certify.NewArgument(s.Computation)
			k.Step = last.Add
		}
	}
	err := certificate.CheckBindings(ctx, e.Computation, f, times, claim.Version, claim.Verdict,
		claim.Proof, step)
	end()
	return err
}

// find returns the execution of a certificate, or nil if it was not given. Why says how the
// execution differs from the certified one. A trace is identified by its bytes, and may have been
// renamed, but not to the name of another trace that was given. In a file with several executions,
// the last parts of the names must agree.
func (v *verifier) find(claim *certify.Certificate) (e *format.Execution, why string, err error) {
	var best *execution
	var other string // the path of a trace with the same name but different bytes
	for i := range v.executions {
		x := &v.executions[i]
		if x.SHA256 != claim.SHA256 {
			if x.named(claim) {
				other = x.path
			}
			continue
		}
		// In a file with several executions, the longest matching name is the right one.
		matches := strings.HasSuffix(claim.Trace, x.part)
		if matches && (best == nil || len(x.part) > len(best.part) || len(x.part) == len(best.part) && x.named(claim)) {
			best = x
		}
	}
	switch {
	// The name matches, so tell the user that the content differs.
	case best == nil && other != "":
		return nil, "the trace is another than the one that was decided: its SHA-256 is not " + claim.SHA256, nil
	case best == nil:
		return nil, "no trace was given that has the SHA-256 " + claim.SHA256, nil
	case other != "" && !best.named(claim):
		return &best.Execution, "it names " + other + ", and its SHA-256 is that of another trace", nil
	}

	e = &best.Execution
	assumed, err := v.in.Assumed(v.run.Context, e)
	switch {
	case err != nil:
		return nil, "", err
	// The same bytes may give another computation in another format.
	case e.Format != claim.Reader:
		why = "the trace was read as " + claim.Reader + ", and is read as " + e.Format
	case !slices.Equal(assumed, claim.Assumed):
		why = fmt.Sprintf("the trace was read with %s, and is read with %s", join(claim.Assumed),
			join(assumed))
	}
	return e, why, nil
}

// join lists assumptions, for the reason of a rejection.
func join(assumptions []string) string {
	return cmp.Or(strings.Join(assumptions, ", "), "no assumption")
}

// recompute decides a verdict without a proof again, with other engines than before. It takes
// seconds, or as long as a flag allows: without a flag, users expect verification to be fast.
func (v *verifier) recompute(result *Result, claim *certify.Certificate, f *syntax.Formula, e *format.Execution) error {
	if syntax.HasBounds(f) {
		result.is(unknown,
			"bounds on time have no proofs, and one way to measure them; pota detect decides again")
		return nil
	}
	// A formula that does not fit the trace cannot have had a verdict.
	e, resolved, err := load.ResolveWith(v.run, syntax.Property{Formula: f}, e,
		load.Times(e, claim.Verdict == rctl.Fails.String()))
	if failure.IsLimit(err) {
		return err
	}
	if err != nil {
		result.is(rejected, present.OneLine(err.Error()))
		return nil
	}

	result.is(unknown, "no engine but "+claim.Engine+" decides it")
	// 0 stands for any number of steps.
	steps, memory := int64(0), v.run.Budget.Memory(1)
	if !v.opts.Bounded {
		// Bound steps rather than seconds, so that the result is the same on any machine.
		steps = certify.StepsAgain(e.Computation.NumEvents())
		memory = min(memory, v.opts.MinMemory)
		result.Reason += fmt.Sprintf(" in %d MiB and %d steps (--max-memory or --timeout lets them take more)", memory>>20, steps)
	}
	doing := "deciding by engines other than " + claim.Engine
	res, err := job.Do(v.run, doing, func(ctx context.Context) (*rctl.Result, error) {
		return certify.Again(ctx, e.Computation, resolved.Formula, claim.Engine, steps,
			v.opts.MinMemory, memory)
	})
	switch {
	case err != nil || res == nil:
		return err
	// Another engine contradicts the certificate: one engine has a bug, or the certificate is forged.
	case res.Verdict.String() != claim.Verdict:
		result.is(rejected, "engine "+res.Engine.String()+" decides that it "+res.Verdict.String())
	default:
		result.is(recomputed, "by engine "+res.Engine.String())
	}
	return nil
}

// column returns text without two consecutive spaces, which separate columns.
func column(text string) string {
	return strings.ReplaceAll(graphs.Printable(text), "  ", ` \u0020`)
}

// print prints the result for a certificate, as text or as a line of JSON.
func (v *verifier) print(result *Result) {
	out := v.run.Console.Out
	if v.opts.JSON {
		v.run.JSON(out, result, "")
		return
	}
	fmt.Fprintf(out, "%-10s  %-5s  %s  %s\n", result.Result, result.Verdict, column(result.Trace),
		column(result.title))
	if result.Reason != "" {
		fmt.Fprintln(out, "            "+graphs.Printable(result.Reason))
	}
	// The lines of an argument refer to each other by these numbers.
	for i, line := range result.Argument {
		fmt.Fprintf(out, "  %3d  %s\n", i+1, graphs.Printable(line))
	}
}

// parseClaim parses a certificate. It returns an error if a required key is missing.
func parseClaim(text []byte) (*certify.Certificate, error) {
	claim := new(certify.Certificate)
	if err := report.Unmarshal(text, claim); err != nil {
		return nil, err
	}
	// Check the version first, since it determines the meaning of the other keys.
	if claim.Version == 0 {
		return nil, errors.New(`there is no key "certificate" with the version`)
	}
	for _, key := range [][2]string{{"sha256", claim.SHA256}, {"reader", claim.Reader}, {"formula", claim.Formula}} {
		if key[1] == "" {
			return nil, fmt.Errorf("there is no key %q", key[0])
		}
	}
	if v, err := report.ParseVerdict(claim.Verdict); err != nil || v == rctl.Unknown {
		return nil, fmt.Errorf("the verdict must be holds or fails, not %q", claim.Verdict)
	}
	return claim, nil
}

// readClaims reads a file of certificates.
func readClaims(r *job.Run, path, maxLine string) ([]*certify.Certificate, error) {
	// Proofs may be long, so --max-line also applies to certificates.
	n, err := load.MaxLine(maxLine)
	if err != nil {
		return nil, err
	}
	var all []*certify.Certificate
	const form = "a certificate, which comes before the traces, must be one line of JSON as pota detect --certificate writes it"
	err = load.EachLine(r, path, n, form, parseClaim, func(l load.Line[*certify.Certificate]) error {
		all = append(all, l.Value)
		return nil
	})
	// Otherwise an empty file would pass as verified.
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: there is no certificate in it", path)
	}
	return all, err
}
