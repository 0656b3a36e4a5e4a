package execution

import "testing"

func TestOf(t *testing.T) {
	for line, want := range map[string]string{
		`{"run":"a","process":7}`:           "a",
		`{"process":[1],"run":-1.5e3}`:      "-1.5e3",
		` {"r\u0075n":"\u00e9\"" } ` + "\n": `é"`,
		`{"run":""}`:                        "",
		`{"run":true}`:                      "",
		`{"run":{"run":"a"}}`:               "",
		`{"set":{"run":"a"}}`:               "",
		`{"run":"a","run":"a"}`:             "",
		`{"run":"a"`:                        "",
		`{"run":"a"} x`:                     "",
		`["run","a"]`:                       "",
		``:                                  "",
	} {
		if got := Of([]byte(line), "run"); got != want {
			t.Errorf("%s is of %q, want %q", line, got, want)
		}
	}
}

func TestName(t *testing.T) {
	for value, want := range map[string]error{`"a"`: nil, `1`: nil, `""`: ErrEmpty, `null`: ErrType, `[1]`: ErrType, `{}`: ErrType} {
		if _, err := Name([]byte(value)); err != want {
			t.Errorf("%s: %v, want %v", value, err, want)
		}
	}
}
