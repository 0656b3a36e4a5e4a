package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shopSpans writes the spans of an order: a shop asks the stock to reserve and then the bank to charge. Its
// own span notes each answer, so that the next call starts after it. The plant says what goes wrong.
func shopSpans(order int, plant string) string {
	at, spans := 1_700_000_000_000_000_000, 0
	services := map[string][]string{}
	span := func(service, name string, parent, kind, start, end int, more string) int {
		spans++
		if parent > 0 {
			more += fmt.Sprintf(`,"parentSpanId":"%016x"`, parent)
		}
		services[service] = append(services[service], fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","name":"%s","kind":%d,"startTimeUnixNano":"%d","endTimeUnixNano":"%d"%s}`,
			order+1, spans, name, kind, at+start, at+end, more))
		return spans
	}
	about := fmt.Sprintf(`,"attributes":[{"key":"order","value":{"stringValue":"o%d"}}]`, order)
	calls := map[string][]string{"": {"Reserve", "Charge"}, "order": {"Charge", "Reserve"}, "none": {"Charge"}, "twice": {"Reserve", "Charge", "Charge"}}[plant]
	var answers []string
	for i := range calls {
		answers = append(answers, fmt.Sprintf(`{"name":"answered","timeUnixNano":"%d"}`, at+100*i+90))
	}
	root := span("shop", "Checkout", 0, 2, 0, 1000, `,"events":[`+strings.Join(answers, ",")+`]`)
	for i, call := range calls {
		client := span("shop", "call "+call, root, 3, 100*i+10, 100*i+80, "")
		service := map[string]string{"Reserve": "stock", "Charge": "bank"}[call]
		span(service, call, client, 2, 100*i+30, 100*i+60, about)
	}
	var all []string
	for _, service := range []string{"shop", "stock", "bank"} {
		all = append(all, fmt.Sprintf(`{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"%s"}}]},"scopeSpans":[{"spans":[%s]}]}`, service, strings.Join(services[service], ",")))
	}
	return `{"resourceSpans":[` + strings.Join(all, ",") + "]}\n"
}

// Of 50 orders, three go wrong: charged before the reservation, without one, and twice. Each is found, and
// no other. What no trace has is said once for all.
func TestShopSpans(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	plants := map[int]string{7: "order", 23: "none", 41: "twice"}
	for order := range 50 {
		text.WriteString(shopSpans(order, plants[order]))
	}
	file := filepath.Join(t.TempDir(), "orders.jsonl")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string]string{
		`forall c in events(operation == "Charge" && event == "start"): exists r in events(operation == "Reserve" && event == "end" && order == c.order): r before c`: "7 23",
		`forall o in values(order): AG(events(operation == "Charge" && event == "start" && order == o) <= 1)`:                                                         "41",
		`precedence(order, operation == "Reserve" && event == "end", operation == "Charge" && event == "start")`:                                                      "7 23",
		`forall c in events(operation == "Refund"): c.order == "o1"`:                                                                                                  "",
		`forall c in events(operation == "Charge" && event == "end"): c.duration == c.ended - c.started || c.duration < 1s`:                                           "",
	} {
		var out, errs bytes.Buffer
		run(context.Background(), []string{"detect", formula, file}, streams{in: strings.NewReader(""), out: &out, err: &errs})
		var failing []string
		for order := range 50 {
			if strings.Contains(out.String(), fmt.Sprintf("fails    %s#%032x ", file, order+1)) {
				failing = append(failing, fmt.Sprint(order))
			}
		}
		if got := strings.Join(failing, " "); got != want || strings.Count(out.String(), "fails ") != len(failing) || strings.Contains(out.String(), "unknown ") {
			t.Errorf("%s fails for %q, want %q\n%s%s", formula, got, want, out.String(), errs.String())
		}
		notes := strings.Count(out.String()+errs.String(), "there are no events")
		if strings.Contains(formula, "Refund") != (notes == 1) || notes > 1 {
			t.Errorf("%s: %d notes\n%s%s", formula, notes, out.String(), errs.String())
		}
	}
}
