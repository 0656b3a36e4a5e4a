package native

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// accepted are odd traces that are right nevertheless.
var accepted = map[string]string{
	"one event":             `{"process":"P1"}`,
	"one process":           `{"process":"P1","init":{}}`,
	"no name":               `{"process":""}` + "\n" + `{"process":"b","after":":1"}`,
	"empty id":              `{"process":"P","id":""}` + "\n" + `{"process":"Q","after":"P:1"}`,
	"byte order mark":       "\xef\xbb\xbf" + `{"pota":1}` + "\n" + `{"process":"P"}`,
	"byte order mark alone": "\xef\xbb\xbf" + "\n" + `{"process":"P"}`,
	"only line ends":        "\n\r\n \n" + `{"process":"P"}` + "\n\n",
	"header after blanks":   "\n\n" + `{"pota":1.0}` + "\n" + `{"process":"P"}`,
	"colons":                `{"process":"a:1"}` + "\n" + `{"process":"a"}` + "\n" + `{"process":"b","after":["a:1:1","a:1"]}`,
	"id of its own default": `{"process":"P","id":"P:1"}` + "\n" + `{"process":"Q","after":"P:1"}`,
	"id like a renamed default": `{"process":"Q","after":"P:1"}` + "\n" + `{"process":"P","id":"e"}` + "\n" +
		`{"process":"P","id":"P:1"}` + "\n" + `{"process":"Q","after":"P:1"}`,
	"id like a default beyond": `{"process":"Q","after":"P:7"}` + "\n" + `{"process":"P","id":"P:7"}`,
	"id like no default":       `{"process":"Q","after":"P:007"}` + "\n" + `{"process":"P","id":"P:007"}`,
	"huge position":            `{"process":"Q","id":"Q:99999999999999999999"}` + "\n" + `{"process":"P","after":"Q:99999999999999999999"}`,
	"integers": `{"process":"P","set":{"a":9223372036854775807,"b":-9223372036854775808,"c":9223372036854775808,` +
		`"d":999999999999999999,"e":-0,"f":1.0,"g":1e3,"h":9007199254740993.0,"i":18446744073709551616,"j":9999999999999999999,"k":1e-400}}`,
	"surrogates":            `{"process":"\ud834\udd1e","label":"a\uD834\uDD1Eb\u0000\/"}`,
	"escaped keys":          `{"pro\u0063ess":"P","s\u0065t":{"\u0078":1}}`,
	"names like keys":       `{"process":"process","set":{"set":1,"process":2},"label":"label"}`,
	"empty arrays":          `{"process":"P","send":[],"recv":[ ],"after":[],"sync":[],"clock":{},"set":{}}`,
	"shared last":           `{"process":"P","id":"a","set":{"t":1}}` + "\n" + `{"process":"Q","after":"a","set":{"t":2}}` + "\n" + `{"shared":{"t":0}}` + "\n" + `{"process":"P","after":"Q:1","set":{"t":3}}`,
	"shared strings last":   `{"process":"P","id":"a","set":{"t":"x"}}` + "\n" + `{"process":"Q","after":"a","set":{"t":"y"}}` + "\n" + `{"shared":{"t":"x"}}`,
	"received before sent":  `{"process":"P","recv":["b","a"]}` + "\n" + `{"process":"Q","send":["a"]}` + "\n" + `{"process":"Q","send":["c","b"],"to":"P"}`,
	"multicast":             `{"process":"P","send":["a","b"]}` + "\n" + `{"process":"Q","recv":"b"}` + "\n" + `{"process":"R","recv":["b","a"]}` + "\n" + `{"process":"P","recv":["a","b"]}`,
	"sync of one":           `{"process":"P","sync":"s"}`,
	"syncs that cross":      `{"process":"P","sync":"s"}` + "\n" + `{"process":"P","sync":"t"}` + "\n" + `{"process":"Q","sync":"t"}` + "\n" + `{"process":"Q","sync":"s"}`,
	"edges that close":      `{"edge":["Q:1","a"]}` + "\n" + `{"process":"P","id":"a"}` + "\n" + `{"process":"Q"}` + "\n" + `{"edge":["a","Q:1"]}` + "\n" + `{"edge":["⊤","⊥"]}` + "\n" + `{"edge":["a","a"]}`,
	"clock with zeros":      `{"process":"P","clock":{"P":1,"Q":0}}` + "\n" + `{"process":"Q","init":{}}`,
	"clock read forwards":   `{"process":"P","clock":{"Q":2,"P":1}}` + "\n" + `{"process":"Q"}` + "\n" + `{"process":"Q"}`,
	"clock with fraction":   `{"process":"P","clock":{"P":1.0}}`,
	"times":                 `{"process":"P","time":-1.5e3}` + "\n" + `{"process":"P","time":"2006-01-02T15:04:05.999999+07:00"}`,
	"process first as to":   `{"process":"P","send":"m","to":"R"}` + "\n" + `{"process":"Q"}` + "\n" + `{"process":"R"}`,
	"to without a line":     `{"process":"P","send":"m","to":"R"}` + "\n" + `{"process":"Q","send":["n","o"],"to":"S"}` + "\n" + `{"process":"P","recv":"n","send":"p","to":"S"}`,
	"no line end, blanks":   `{"process":"P"}   `,
	"line separators":       "{\"process\":\"P\u2028\"}\r\n{\"process\":\"P\u2028\"}\r\n",
	"many variables":        `{"process":"P","init":{` + numbered(30) + `}}` + "\n" + `{"process":"P","set":{` + numbered(40) + `}}` + "\n" + `{"process":"P","set":{` + numbered(40) + `}}`,
	"declarations together": `{"process":"P","init":{"x":1}}` + "\n" + `{"process":"P","init":{"y":1}}` + "\n" + `{"process":"P"}`,
}

// numbered writes n members.
func numbered(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"x%d":%d`, i, i))
	}
	return strings.Join(members, ",")
}

func TestAccepted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	for name, text := range accepted {
		t.Run(name, func(t *testing.T) {
			if !compare(t, file, []byte(text)) {
				_, err := ReadFile(background, file, trace.Options{})
				t.Error(err)
			}
		})
	}
}

func TestVariablesKept(t *testing.T) {
	const text = `{"process":"P","init":{"x":1}}
{"process":"P","set":{"x":2,"y":3,"t":4}}
{"process":"P","set":{"u":1}}
{"shared":{"t":0}}
{"process":"P","set":{"t":5}}
`
	c, err := readText(t, text, trace.Options{Variables: map[string]bool{"y": true}})
	if err != nil {
		t.Fatal(err)
	}
	lengths := make(map[string]int)
	for _, v := range c.Variables() {
		lengths[v.Name] = v.Len()
		if keep := v.Name == "y"; v.Skipped() == keep {
			t.Errorf("%s: skipped is %v", v.Name, v.Skipped())
		}
	}
	if lengths["x"] != 0 || lengths["y"] != 1 {
		t.Error(lengths)
	}
	if c.Label(1) != "" {
		t.Error("a label was kept")
	}
	err = Write(new(strings.Builder), c, nil)
	if err == nil {
		t.Error("a computation without its values was written")
	}
	if v := c.Variable(0, "x"); v.Kind != graphs.Number {
		t.Error(v.Kind)
	}
}
