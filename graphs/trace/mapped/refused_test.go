package mapped

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/trace"
)

// TestRefusedMappings lists what is wrong with mapping files.
func TestRefusedMappings(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, `:1:1: the JSON text ends too soon`},
		{`{"process":"/p"`, `:1:16: the JSON text ends too soon`},
		{`{"process":"/p",}`, `:1:16: invalid character ',' at start of value`},
		{`{"process":"/p"} x`, `:1:18: text after the JSON value: nothing may follow it`},
		{`[]`, `:1:1: a mapping is an object, not an array`},
		{`{}`, `:1:1: "process" is missing: a mapping must say what the process of an event is`},
		{"{\n \"é\": 1, \"proces\": \"/p\"}", `:2:2: unknown key "é" in a mapping (known are clock, clock_id, description, events, example, files, initial, label, line, lower_bound, messages, process, skip, sources, texts, time, variables, writes)`},
		{"{\n  \"proces\": \"/p\"}", `:2:3: unknown key "proces" in a mapping (did you mean "process"?)`},
		{`{"process":"/p","process":"/q"}`, `:1:17: the key "process" is given twice`},
		{`{"process":"p"}`, `:1:12: "p": a JSON pointer starts with "/"`},
		{`{"process":"/~2"}`, `:1:12: "/~2": in a JSON pointer "~" is written "~0"`},
		{`{"process":1}`, `:1:12: a name is an object, not a number`},
		{`{"process":{}}`, `:1:12: a name must have "fields" or be a "constant"`},
		{`{"process":{"fields":[]}}`, `:1:22: fields must not be empty`},
		{`{"process":{"fields":["/a",1]}}`, `:1:28: a JSON pointer is a string, not a number`},
		{`{"process":{"fields":["/a","/b"]}}`, `:1:12: a name of several fields must have a "format"`},
		{`{"process":{"fields":["/a"],"format":"%s%s"}}`, `:1:38: the format has 2 "%s" for 1 fields`},
		{`{"process":{"fields":["/a"],"format":"%d"}}`, `:1:38: a format must have "%s" for a field and "%%" for a percent sign, and no other %`},
		{`{"process":{"field":["/a"]}}`, `:1:13: unknown key "field" in a name (did you mean "fields"?)`},
		{`{"process":"/p","variables":{"x":{"value":1,"ttl":"/t"}}}`, `:1:34: "until" and "ttl" need the "time" of events`},
		{`{"process":"/p","time":"/t","variables":{"x":{"value":1,"ttl":"soon"}}}`, `:1:63: ttl is a pointer, or a duration such as "10s"`},
		{`{"process":"/p","time":"/t","variables":{"x":{"value":1,"ttl":"/t","until":"/u"}}}`, `:1:46: a value ends by "until" or by "ttl", not by both`},
		{`{"process":"/p","time":"/t","variables":{"x":{"value":1,"then":2}}}`, `:1:46: "then" goes with "until" or "ttl"`},
		{`{"process":"/p","time":"/t","variables":{"x":{"add":1,"ttl":"/t"}}}`, `:1:46: a number that is added does not end: "until" and "ttl" go with "at" and "value"`},
		{`{"process":"/p","time":"/t","variables":{"x":[{"value":1,"ttl":"/t"},{"add":1}]}}`, `:1:46: values of the variable "x" end, so nothing can be added to it`},
		{`{"process":"/p","time":"/t","clock":"/c","variables":{"x":{"value":1,"ttl":"/t"}}}`, `:1:1: a trace with vector clocks cannot have timers, because clocks do not count the ends of timers ("after" orders events)`},
		{`{"process":"/p","lower_bound":""}`, `:1:31: lower_bound must say why in a few words`},
		{`{"process":"/p","files":""}`, `:1:25: files must be a pattern, in which * matches any text`},
		{`{"process":"/p","description":1}`, `:1:31: a description is a string, not a number`},
		{`{"process":"/p","events":1}`, `:1:26: a condition is an object of pointers and what is wanted there, or an array of such objects, not a number`},
		{`{"process":"/p","events":{}}`, `:1:26: a condition must have a pointer`},
		{`{"process":"/p","events":[]}`, `:1:26: a condition must not be empty`},
		{`{"process":"/p","events":{"a":1}}`, `:1:27: "a": a JSON pointer starts with "/"`},
		{`{"process":"/p","events":{"/a":1,"/a":2}}`, `:1:34: the key "/a" is given twice (at /events)`},
		{`{"process":"/p","events":{"/a":[]}}`, `:1:32: a list of what is wanted must not be empty`},
		{`{"process":"/p","events":{"/a":{}}}`, `:1:32: what is wanted is a constant, an array of them, or {"not": …}`},
		{`{"process":"/p","events":{"/a":{"nor":1}}}`, `:1:33: unknown key "nor" in what is wanted (did you mean "not"?)`},
		{`{"process":"/p","messages":{}}`, `:1:28: messages is an array, not an object`},
		{`{"process":"/p","messages":[{}]}`, `:1:29: messages must have "send" and "receive"`},
		{`{"process":"/p","messages":[{"send":{"when":{"/a":1}},"receive":{}}]}`, `:1:37: a send must have a "key"`},
		{`{"process":"/p","messages":[{"send":{"key":["/k"]},"receive":{}}]}`, `:1:37: a send must have a condition: without one, every event would be one`},
		{`{"process":"/p","messages":[{"send":{"key":["/k"],"when":{"/a":1},"unsent":true}}]}`, `:1:67: unknown key "unsent" in a send (known are key, to, when)`},
		{`{"process":"/p","messages":[{"send":{"key":["/k"],"when":{"/a":1}},"receive":{"key":["/k","/l"],"when":{"/a":2}}}]}`, `:1:29: the key of a message must have as many fields where it is sent as where it is received or lost`},
		{`{"process":"/p","messages":[{"send":{"key":["/k"],"when":{"/a":1}},"receive":{"key":["/k"],"when":{"/a":2},"unsent":1}}]}`, `:1:117: unsent is true or false, not a number`},
		{`{"process":"/p","messages":[{"send":{"key":["/k"],"where":{"/a":1}}}]}`, `:1:51: unknown key "where" in a send (known are key, to, when)`},
		{`{"process":"/p","variables":[]}`, `:1:29: variables are an object of names and what they are assigned, not an array`},
		{`{"process":"/p","variables":{"":"/a"}}`, `:1:30: the name of a variable must not be empty`},
		{`{"process":"/p","variables":{"a":{}}}`, `:1:34: an assignment must have exactly one of "at", "value" and "add"`},
		{`{"process":"/p","variables":{"a":{"at":"/a","value":1}}}`, `:1:34: an assignment must have exactly one of "at", "value" and "add"`},
		{`{"process":"/p","variables":{"a":{"add":"1"}}}`, `:1:41: only a number can be added`},
		{`{"process":"/p","variables":{"a":{"value":null}}}`, `:1:43: a constant is a string, a number, true or false, not null`},
		{`{"process":"/p","variables":{"a":{"value":1e999}}}`, `:1:43: the number 1e999 is too large`},
		{`{"process":"/p","variables":{"a":{"value":1,"decode":"tla"}}}`, `:1:34: "decode" goes with "at"`},
		{`{"process":"/p","variables":{"a":{"at":"/a","decode":"xml"}}}`, `:1:54: unknown decoding "xml" (known are number, time, tla, value)`},
		{`{"process":"/p","variables":{"a":[]}}`, `:1:34: a list of assignments must not be empty`},
		{`{"process":"/p","writes":[{}]}`, `:1:27: writes must have "each", "name" and "value"`},
		{`{"process":"/p","writes":[{"each":"/e","name":"/n"}]}`, `:1:27: writes must have "each", "name" and "value"`},
		{`{"process":"/p","writes":[{"each":"/e","name":"/n","value":"/v","own":"/o"}]}`, `:1:27: "own" goes with "index"`},
		{`{"process":"/p","writes":[{"each":"/e","rename":[]}]}`, `:1:49: rename is an object of names, not an array`},
		{`{"process":"/p","writes":[{"each":"/e","rename":{"a":""}}]}`, `:1:54: the name of a variable must not be empty`},
		{`{"process":"/p","initial":"last"}`, `:1:27: initial is an object of variables and constants, or "first"`},
		{`{"process":"/p","initial":{"coutner":0},"variables":{"counter":"/c"}}`, `:1:28: nothing assigns the variable "coutner" (did you mean "counter"?)`},
		{`{"process":"/p","initial":{"x":[]},"variables":{"x":"/c"}}`, `:1:32: a constant is a string, a number, true or false, not an array`},
		{strings.Repeat("[", 20000), ":1:10001: exceeded max depth (at " + strings.Repeat("/0", 100) + "…)"},
	} {
		_, err := Parse("m.json", []byte(test.text))
		var e *trace.Error
		if !errors.As(err, &e) || err.Error() != "m.json"+test.want {
			t.Errorf("%.200s:\ngot  %v\nwant m.json%s", test.text, err, test.want)
		}
	}
}

func TestRefusedNames(t *testing.T) {
	directory := t.TempDir()
	for name, want := range map[string]string{
		"ectd-raft": `ectd-raft: neither a mapping nor a mapping file (did you mean "etcd-raft"?)`,
		"whatever":  `whatever: neither a mapping nor a mapping file (known are ccf-2023, ccf, etcd-raft, ewd998, hadoop, hashicorp-raft, hdfs, pgo, raft-log, zookeeper)`,
		directory:   directory + `: is a directory`,
	} {
		_, err := Lookup(t.Context(), name)
		var e *trace.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	path := filepath.Join(directory, "m.json")
	if err := os.WriteFile(path, []byte("{\n}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Lookup(t.Context(), path); err == nil || !strings.HasPrefix(err.Error(), path+":1:1: ") {
		t.Errorf("%v", err)
	}
}

// refusedMapping is that of TestRefusedLogs.
const refusedMapping = `{
	"process": {"fields": ["/a", "/p"], "format": "%s(%s)"}, "label": "/l", "time": "/t", "clock": "/vc", "events": {"/skip": null},
	"messages": [
		{"send": {"when": {"/s": {"not": null}}, "key": ["/s"], "to": "/to"}, "receive": {"when": {"/r": {"not": null}}, "key": ["/r"]}, "lost": {"when": {"/x": {"not": null}}, "key": ["/x"]}},
		{"send": {"when": {"/k": "s"}, "key": ["/no"]}, "receive": {"when": {"/k": "r"}, "key": ["/no"]}}
	],
	"variables": {"v": "/v", "c": [{"when": {"/up": true}, "add": 1}, "/c"]},
	"writes": [{"each": "/w", "name": "/n", "value": "/v"}]
}`

// TestRefusedLogs lists what is wrong with logs; a process is A(1) or A(2).
func TestRefusedLogs(t *testing.T) {
	m, err := Parse("m.json", []byte(refusedMapping))
	if err != nil {
		t.Fatal(err)
	}
	one := func(fields string) string { return `{"a":"A","p":1,"vc":{"A(1)":1}` + fields + `}` + "\n" }
	two := func(fields string) string { return `{"a":"A","p":2,"vc":{"A(2)":1}` + fields + `}` + "\n" }
	for _, test := range []struct{ text, want string }{
		{"", `: no line is an event of the mapping m.json`},
		{`{"skip":1}` + "\n", `: no line is an event of the mapping m.json`},
		{"\n1\n", `:2:1: a line is not a JSON object`},
		{`  {"é":x}`, `:1:8: x where a JSON value was expected`},
		{`{} {}`, `:1:4: text after the object: a line must hold one JSON object and nothing else`},
		{`{"skip":1,"z":[1,]}`, `:1:18: "]" where a JSON value was expected`},
		{`{"skip":01}`, `:1:9: a JSON number must not begin with 0`},
		{`{"skip":1.}`, `:1:11: no digit after the decimal point`},
		{`{"skip":"\x"}`, `:1:10: "\\x" is not an escape sequence of JSON`},
		{`{"skip":"\u12"}`, `:1:10: \u is not followed by four hexadecimal digits`},
		{"{\"skip\":\"\t\"}", `:1:10: the control character U+0009 occurs in a string (write it as an escape)`},
		{`{"skip":1`, `:1:10: the line ends where "," or "}" was expected`},
		{`{"skip":{"a" 1}}`, `:1:14: a number where a colon was expected`},
		{`{"skip":1,"a":1,"a":2}`, `:1:17: a name that the mapping needs occurs twice`},
		{`{"p":1}`, `:1:1: the process is missing: the line has no /a`},
		{`{"a":"A","p":null}`, `:1:1: the process is missing: the line has no /p`},
		{`{"a":"A","p":[1]}`, `:1:14: the process is an array where a string or a number is expected`},
		{one(`,"l":{}`), `:1:36: the label is an object where a string or a number is expected`},
		{one(`,"t":"today"`), `:1:36: a time is a number or an RFC 3339 time; another needs a "layout" in the mapping`},
		{one(`,"t":true`), `:1:36: the time is a boolean where a number or an RFC 3339 time is expected`},
		{`{"a":"A","p":1}`, `:1:1: the clock is missing: the line has no /vc`},
		{`{"a":"A","p":1,"vc":1}`, `:1:21: the clock is a number where an object or an array of pairs is expected`},
		{`{"a":"A","p":1,"vc":{}}`, `:1:21: the clock of an event of "A(1)" has no entry of its own`},
		{`{"a":"A","p":1,"vc":{"A(1)":0}}`, `:1:21: the clock of an event of "A(1)" has no entry of its own`},
		{`{"a":"A","p":1,"vc":{"A(1)":1,"A(1)":1}}`, `:1:38: the clock has two entries for "A(1)"`},
		{`{"a":"A","p":1,"vc":{"A(1)":1,"A(2)":0.5}}`, `:1:38: the count of events of "A(2)" in the clock must be a whole number`},
		{`{"a":"A","p":1,"vc":{"A(1)":1,"A(2)":"1"}}`, `:1:38: the count of events of "A(2)" in the clock must be a whole number`},
		{`{"a":"A","p":1,"vc":{"A(1)":1,"A(2)":-2}}`, `:1:38: the clock has -2 for "A(2)": a count must be from 0 to 2147483647`},
		{`{"a":"A","p":1,"vc":[1]}`, `:1:22: an entry of a clock is a pair [process, count]`},
		{`{"a":"A","p":1,"vc":[["A(1)"]]}`, `:1:22: an entry of a clock is a pair [process, count]`},
		{`{"a":"A","p":1,"vc":[[null,1]]}`, `:1:23: an entry of a clock is a pair [process, count]`},
		{`{"a":"A","p":1,"vc":[[["A",1,2],1]]}`, `:1:23: the key of a clock has 3 parts, the name of a process 2`},
		{`{"a":"A","p":1,"vc":[[["A",1],1],["A(2)",1]]}`, `:1:21: the clock has an entry for an unknown process "A(2)": this is the log of "A(1)" alone; give the directory that holds the logs of all processes`},
		{one("") + one(""), `:2:21: two events of "A(1)" have 1 as their own entry`},
		{`{"a":"A","p":1,"vc":{"A(1)":2}}`, `:1:21: an event of "A(1)" has 2 as its own entry, but there is none with 1`},
		{one("") + `{"a":"A","p":2,"vc":{"A(1)":3,"A(2)":1}}`, `:2:21: the clock is ahead: process "A(1)" has 1 event, not 3`},
		{one("") + `{"a":"A","p":2,"vc":{"A(1)":1,"A(2)":1}}` + "\n" + `{"a":"A","p":1,"vc":{"A(1)":2}}` + "\n" + `{"a":"A","p":2,"vc":{"A(1)":2,"A(2)":2}}` + "\n" + `{"a":"A","p":2,"vc":{"A(1)":1,"A(2)":3}}`,
			`:5:21: the clock of process "A(2)" runs backwards: its entry for "A(1)" was 2 and is now 1`},
		{`{"a":"A","p":1,"vc":{"A(1)":1,"A(2)":1}}` + "\n" + `{"a":"A","p":2,"vc":{"A(1)":1,"A(2)":1}}`, `:2:21: cycle of happened-before: A(1):1 → A(2):1 → A(1):1`},
		{one(`,"r":"é"`), `:1:36: an event of "A(1)" receives a message that nobody sent: this is the log of "A(1)" alone; give the directory that holds the logs of all processes`},
		{one(`,"x":1`), `:1:36: an event of "A(1)" loses a message that nobody sent: this is the log of "A(1)" alone; give the directory that holds the logs of all processes`},
		{one(`,"s":1`) + two(`,"r":1`), `:2:36: an event of "A(2)" receives a message that its clock does not know to be sent (x.log:1)`},
		{one(`,"s":1,"r":1`), `:1:42: an event of "A(1)" receives a message that its clock does not know to be sent (x.log:1)`},
		{one(`,"k":"s"`), `:1:1: the key of a message is missing: there is no /no`},
		{one(`,"s":1,"to":[]`), `:1:43: the receiver is an array where a string or a number is expected`},
		{one(`,"v":-1e400`), `:1:36: the number -1e400 is too large`},
		{one(`,"w":[{"v":1}]`), `:1:1: the name of a variable is missing: the line has no /n`},
		{one(`,"w":[{"n":1}]`), `:1:42: the name of a variable is a number where a string or a number is expected`},
		{one(`,"w":[{"n":""}]`), `:1:42: a variable without a name`},
		{one(`,"up":true`) + two(`,"c":"x"`), `:1:21: a number is added to "c", which is not a number elsewhere`},
	} {
		_, err := readText(t, test.text, m, trace.Options{})
		var e *trace.Error
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), scratch+string(filepath.Separator), "")
		}
		if !errors.As(err, &e) || got != "x.log"+test.want {
			t.Errorf("%s:\ngot  %v\nwant x.log%s", test.text, got, test.want)
		}
	}
}
