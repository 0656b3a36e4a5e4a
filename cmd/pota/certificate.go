package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// assumed tells what a verdict on an execution rests on beside the bytes of its trace.
func assumed(c *cli.Context, in *input, e *format.Execution) ([]string, error) {
	all, err := in.options.Assumed(c.Context)
	if err != nil {
		return nil, err
	}
	if path := c.String("order"); path != "" {
		content, err := trace.ReadFile(c.Context, path, longestFile)
		if err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprintf("--order %x", sha256.Sum256(content)))
	}
	if in.skew != nil {
		all = append(all, "--skew "+in.skew.String())
	}
	if in.unit != time.Second {
		all = append(all, "--time-unit "+c.String("time-unit"))
	}
	if why := e.Computation.LowerBound(); why != "" {
		all = append(all, "lower bound of causality: "+why)
	}
	return all, nil
}

// certify writes the certificate of a decision, without a proof where none is found within
// the limits.
func (v *decision) certify(decider *rctl.Session) error {
	e := v.execution
	claim := &certify.Certificate{
		Version: certificate.Version, Trace: e.Name, SHA256: e.SHA256, Reader: e.Format, Name: v.property.Name,
		Formula: v.property.Source, Verdict: v.result.Verdict.String(), Engine: v.engineOf(v.result),
	}
	var err error
	if claim.Assumed, err = assumed(v.cli, v.in, e); err != nil {
		return err
	}
	proved, err := do(v.session, "certifying", func(ctx context.Context) (*certify.Certificate, error) {
		return claim.Certify(ctx, decider, e.Computation, v.property.Formula, v.result)
	})
	if err == nil {
		claim = proved
	} else if !is[*limitError](err) {
		return err
	}
	enc := json.NewEncoder(v.claims)
	enc.SetEscapeHTML(false)
	return enc.Encode(claim)
}

func (s *session) verifyCommand() *cli.Command {
	return s.command(2, -1, cli.Command{
		Name:      "verify",
		Usage:     "check the certificates that detect --certificate has written",
		ArgsUsage: "CERTIFICATE TRACE...",
		Description: "Prints for each verdict whether it is certified (its proof has been checked by code\n" +
			"that the engines do not share), recomputed (it has no proof, and another engine decides\n" +
			"the same), unknown (none does within the limits) or rejected. Exit status: 0 all certified,\n" +
			"1 some rejected, 2 bad usage or input, 3 none rejected, some only recomputed or unknown.\n\n" +
			"   pota detect --certificate mutex.cert 'AG(!(cs@P1 && cs@P2))' run.jsonl\n" +
			"   pota verify mutex.cert run.jsonl\n\n" +
			"Guide: pota help certificates.",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each certificate"},
			&cli.BoolFlag{Name: "explain", Usage: "print the argument, a line for each rule that was used"},
		}, limitFlags(0), inputFlags()),
		Action: s.verify,
	})
}

// verification is what came of one certificate.
type verification struct {
	report.Subject
	Verdict  string   `json:"verdict"`
	Result   string   `json:"result"` // certified, recomputed, unknown or rejected
	Kind     string   `json:"kind,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Argument []string `json:"argument,omitempty"`

	about *format.Execution // nil if it was not given
}

// An execution has the part of its name that follows the path of its file.
type execution struct {
	format.Execution
	part string
}

func (s *session) verify(c *cli.Context) error {
	longest, err := maxLine(c)
	if err != nil {
		return err
	}
	claims, err := s.certificates(c.Args().First(), &trace.Options{MaxLine: longest})
	if err != nil {
		return err
	}
	variables := make(map[string]bool)
	for _, claim := range claims {
		if f, err := syntax.Parse(claim.Formula); err == nil {
			for name := range syntax.Names(f) {
				variables[name] = true
			}
		}
	}
	in, err := s.inputOf(c, variables, false)
	if err != nil {
		return err
	}
	in.options.Digest = true
	var executions []execution
	for _, path := range c.Args().Tail() {
		s.each(in, []string{path}, func(e *format.Execution) {
			executions = append(executions, execution{*e, strings.TrimPrefix(e.Name, path)})
		})
	}
	if len(executions) == 0 {
		return nil
	}
	unread := s.status != allHold
	for _, claim := range claims {
		v := &verification{Subject: report.Subject{Trace: claim.Trace, Name: claim.Name, Formula: claim.Formula}, Verdict: claim.Verdict}
		if err := s.check(c, in, v, claim, executions); is[*limitError](err) {
			v.Result, v.Reason, v.Argument = rctl.Unknown.String(), err.Error(), nil
		} else if err != nil {
			return err
		}
		if unread && v.about == nil && v.Result == "rejected" {
			v.Result, v.Reason = rctl.Unknown.String(), v.Reason+", or it could not be read"
		}
		switch {
		case v.Result == "rejected" && s.status != badInput:
			s.status = someFails
		case v.Result != "certified" && s.status == allHold:
			s.status = undecided
		}
		s.printVerification(c, v)
		s.flush()
	}
	return nil
}

// claims are the certificates of some lines of a file.
type claims struct {
	all   []*certify.Certificate
	lines int
	err   error // of the last line
}

// read reads the certificates of lines up to the first that is none.
func (k *claims) read(text []byte) {
	k.all, k.lines, k.err = nil, 0, nil
	for line := range bytes.Lines(text) {
		if k.lines++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		claim := new(certify.Certificate)
		if k.err = exactly(line, claim); k.err == nil {
			k.err = complete(claim)
		}
		if k.err != nil {
			return
		}
		k.all = append(k.all, claim)
	}
}

// complete says what a certificate lacks.
func complete(claim *certify.Certificate) error {
	if claim.Version == 0 {
		return errors.New(`there is no key "certificate" with the version`)
	}
	for _, key := range [][2]string{{"sha256", claim.SHA256}, {"reader", claim.Reader}, {"formula", claim.Formula}} {
		if key[1] == "" {
			return fmt.Errorf("there is no key %q", key[0])
		}
	}
	if v, err := verdictOf(claim.Verdict); err != nil || v == rctl.Unknown {
		return fmt.Errorf("the verdict must be holds or fails, not %q", claim.Verdict)
	}
	return nil
}

// certificates reads a file of certificates.
func (s *session) certificates(path string, opts *trace.Options) ([]*certify.Certificate, error) {
	return do(s, "reading "+path, func(ctx context.Context) (all []*certify.Certificate, err error) {
		source, err := trace.Open(path)
		if err != nil {
			return nil, err
		}
		lines := 0
		err = trace.ReadLines(ctx, source, trace.LinesOptions[*claims]{
			New: func() *claims { return new(claims) },
			Do:  func(p *trace.Piece, k *claims) { k.read(p.Text) },
			Take: func(b *trace.Batch[*claims]) error {
				k := b.Work
				if b.First {
					lines = 0
				}
				if k.err != nil {
					return fmt.Errorf("%s:%d: a certificate, which comes before the traces, must be one line of JSON as pota detect --certificate writes it: %w", b.Name, lines+k.lines, k.err)
				}
				all = append(all, k.all...)
				lines += k.lines
				return b.Failed(lines + 1)
			},
			Options: opts,
		})
		if err == nil && len(all) == 0 {
			err = fmt.Errorf("%s: there is no certificate in it", path)
		}
		return all, err
	})
}

// check fills in what comes of a certificate. The error says that the trace cannot be
// looked at, or that a limit was reached.
func (s *session) check(c *cli.Context, in *input, v *verification, claim *certify.Certificate, executions []execution) error {
	e, why, err := claimed(c, in, claim, executions)
	if err != nil {
		return err
	}
	v.about = e
	var f *syntax.Formula
	if why == "" {
		if f, err = syntax.Parse(claim.Formula); err != nil {
			why = "it is about no formula: " + err.Error()
		}
	}
	if claim.Engine != "" && claim.Version != certificate.Version && why == "" {
		why = fmt.Sprintf("it is of version %d, not %d", claim.Version, certificate.Version)
	}
	if why != "" {
		v.Result, v.Reason = "rejected", why
		return nil
	}
	if claim.Engine != "" {
		return s.recompute(c, v, claim, f, e)
	}
	err = try(s, "checking a certificate", func(ctx context.Context) error {
		k, err := certificate.New(ctx, e.Computation, f)
		if err != nil {
			return err
		}
		if c.Bool("explain") {
			argument := certify.NewArgument(e.Computation)
			k.Step = argument.Add
			defer func() { v.Argument = argument.Lines() }()
		}
		return k.Check(claim.Version, claim.Verdict, claim.Proof)
	})
	switch {
	case is[*limitError](err):
		return err
	case err != nil:
		v.Result, v.Reason, v.Argument = "rejected", oneLine(err.Error()), nil
	default:
		v.Result, v.Kind = "certified", "forced"
		if claim.Proof != nil {
			v.Kind = claim.Proof.Rule
		}
	}
	return nil
}

// claimed returns the execution that a certificate is about, or why there is none.
func claimed(c *cli.Context, in *input, claim *certify.Certificate, executions []execution) (e *format.Execution, why string, err error) {
	part := ""
	for i := range executions {
		x := &executions[i]
		if x.SHA256 == claim.SHA256 && strings.HasSuffix(claim.Trace, x.part) && (e == nil || len(x.part) > len(part)) {
			e, part = &x.Execution, x.part
		}
	}
	if e == nil {
		why = "no trace was given that has the SHA-256 " + claim.SHA256
		if slices.ContainsFunc(executions, func(x execution) bool { return x.Name == claim.Trace && x.SHA256 != claim.SHA256 }) {
			why = "the trace is another than the one that was decided: its SHA-256 is not " + claim.SHA256
		}
		return nil, why, nil
	}
	assumed, err := assumed(c, in, e)
	switch {
	case err != nil:
		return nil, "", err
	case e.Format != claim.Reader:
		return e, "the trace was read as " + claim.Reader + ", and is read as " + e.Format, nil
	case !slices.Equal(assumed, claim.Assumed):
		return e, fmt.Sprintf("the trace was read with %s, and is read with %s", joined(claim.Assumed), joined(assumed)), nil
	}
	return e, "", nil
}

func joined(all []string) string {
	if len(all) == 0 {
		return "no assumption"
	}
	return strings.Join(all, ", ")
}

// leastMemory is what each engine may take that recomputes before one gets more, which it does
// only where a flag bounds memory or time.
var leastMemory int64 = 1 << 28

// recompute decides again what has no proof, by engines other than the one that decided: within
// seconds, unless a flag bounds memory or time.
func (s *session) recompute(c *cli.Context, v *verification, claim *certify.Certificate, f *syntax.Formula, e *format.Execution) error {
	f, err := s.resolve(syntax.Property{Formula: f}, e)
	if err != nil && !is[*limitError](err) {
		v.Result, v.Reason = "rejected", oneLine(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	v.Result, v.Reason = rctl.Unknown.String(), "no engine but "+claim.Engine+" decides it"
	steps, most := int64(0), s.budget.Memory(1)
	if !c.IsSet("timeout") && !c.IsSet("max-memory") {
		steps, most = certify.StepsAgain(e.Computation.NumEvents()), min(most, leastMemory)
		v.Reason += fmt.Sprintf(" in %d MiB and %d steps (--max-memory or --timeout lets them take more)", most>>20, steps)
	}
	res, err := do(s, "deciding by engines other than "+claim.Engine, func(ctx context.Context) (*rctl.Result, error) {
		return certify.Again(ctx, e.Computation, f, claim.Engine, steps, leastMemory, most)
	})
	switch {
	case err != nil || res == nil:
		return err
	case res.Verdict.String() != claim.Verdict:
		v.Result, v.Reason = "rejected", "engine "+res.Engine.String()+" decides that it "+res.Verdict.String()
	default:
		v.Result, v.Reason = "recomputed", "by engine "+res.Engine.String()
	}
	return nil
}

func (s *session) printVerification(c *cli.Context, v *verification) {
	if c.Bool("json") {
		s.printJSON(v, "")
		return
	}
	fmt.Fprintf(s.out, "%-10s  %-5s  %s  %s\n", v.Result, graphs.Printable(v.Verdict), graphs.Printable(v.Trace), graphs.Printable(oneLine(v.Title())))
	if v.Reason != "" {
		fmt.Fprintln(s.out, "            "+graphs.Printable(v.Reason))
	}
	for i, line := range v.Argument {
		fmt.Fprintf(s.out, "  %3d  %s\n", i+1, graphs.Printable(line))
	}
}
