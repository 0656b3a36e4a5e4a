package native

import "testing"

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		"{\"process\":\"P\"}\n":                      true,
		"\xef\xbb\xbf \r\n\n{\"pota\":1}\n{\"proces": true,
		"{\"process\":\"P\"}":                        false,
		"{\"proces\":\"P\"}\n":                       false,
		"{\"process\":{\"pid\":1}}\n":                false,
		"[{\"process\":\"P\"}]\n":                    false,
		"":                                           false,
	} {
		if Detect([]byte(text)) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
