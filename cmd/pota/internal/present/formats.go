package present

// formats are the formats that a user may name, in the order in which they are listed.
var formats = []struct {
	name string
	on   func(output) format
}{
	{Text, func(o output) format { return &textReport{output: o} }},
	{JSON, func(o output) format { return jsonLines{o} }},
	{JUnit, func(o output) format { return &junitReport{output: o} }},
	{SARIF, func(o output) format { return &sarifReport{output: o} }},
	{GitHub, func(o output) format { return annotations{o} }},
}

// Formats returns the names of the formats that a user may name.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}
