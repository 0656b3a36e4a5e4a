package pattern

// All are the patterns, those about one state before those about several, and those
// about any formula before those about variables of many processes.
// In several of the examples (exclusive, reaches, responds, precedes, mutex) the log satisfies
// the property in the order of its lines. The violation is in another order of the same events.
var All = []Pattern{
	{
		Name: "never", Params: []string{"P"},
		Sentence: "P is true in no state.",
		Formula:  "AG(!($1))",
		Example:  []string{"x@a > 3"},
		Mistake:  "!AG($1)", Why: "says that P is not always true",
		// A later reset shows that the state must not be missed by a look at the last state alone.
		Trace: `{"process":"a","init":{"x":0}}
{"process":"a","set":{"x":4}}
{"process":"a","set":{"x":0}}`,
	},
	{
		Name: "exclusive", Params: []string{"P", "Q"},
		Sentence: "P and Q are not true at once.",
		Formula:  "AG(!(($1) && ($2)))",
		Example:  []string{"open@a", "open@b"},
		Mistake:  "EF(!(($1) && ($2)))", Why: "says that some state does not have both, and nearly every execution has such a state",
		// In the log a closes before b opens, yet no message orders the two, so both can be open.
		Trace: `{"process":"a","init":{"open":false}}
{"process":"b","init":{"open":false}}
{"process":"a","set":{"open":true}}
{"process":"a","set":{"open":false}}
{"process":"b","set":{"open":true}}`,
	},
	{
		Name: "reaches", Params: []string{"P"},
		Sentence: "P becomes true, in whatever order things happen.",
		Formula:  "AF($1)",
		Example:  []string{"x@a == 1 && y@b == 0"},
		Mistake:  "EF($1)", Why: "says that P can become true, in some order",
		// The observed order passes through x = 1 and y = 0; b can go first, and then no state
		// has both.
		Trace: `{"process":"a","init":{"x":0}}
{"process":"b","init":{"y":0}}
{"process":"a","set":{"x":1}}
{"process":"b","set":{"y":1}}`,
	},
	{
		Name: "responds", Params: []string{"P", "Q"},
		Sentence: "Whenever P is true, Q is true then or later.",
		Formula:  "AG(($1) -> AF($2))",
		Within:   "AG(($1) -> AF[<= $3]($2))",
		Example:  []string{"asked@client", "up@s1 && up@s2"},
		Mistake:  "AG(($1) -> EF($2))", Why: "says that Q can follow, if things happen in the right order",
		// Two messages after the answers show that the servers are up at once in one order only:
		// s1 may be down again before s2 is up.
		Trace: `{"process":"client","init":{"asked":false}}
{"process":"s1","init":{"up":false}}
{"process":"s2","init":{"up":false}}
{"process":"client","set":{"asked":true}}
{"process":"s1","set":{"up":true}}
{"process":"s2","set":{"up":true}}
{"process":"client","set":{"asked":false},"send":["m1","m2"]}
{"process":"s1","recv":"m1","set":{"up":false}}
{"process":"s2","recv":"m2","set":{"up":false}}`,
	},
	{
		Name: "precedes", Params: []string{"P", "Q"},
		Sentence: "Q is not true before P has been.",
		Formula:  "A[!($2) W ($1)]",
		Example:  []string{"granted@server", "writing@client"},
		Mistake:  "EF(($1) && EF($2))", Why: "says that P and then Q can happen, as it did in the log",
		// Nothing orders the grant before the write: the client may write first.
		Trace: `{"process":"server","init":{"granted":false}}
{"process":"client","init":{"writing":false}}
{"process":"server","set":{"granted":true}}
{"process":"client","set":{"writing":true}}`,
	},
	{
		Name: "until", Params: []string{"P", "Q"},
		Sentence: "P stays true until Q is, and Q becomes true.",
		Formula:  "A[$1 U $2]",
		Example:  []string{"locked@a", "saved@b"},
		Mistake:  "AF($2)", Why: "says that Q becomes true, and nothing of P",
		// The lock is given back without waiting for b, so it may be open before the data are
		// saved.
		Trace: `{"process":"a","init":{"locked":true}}
{"process":"b","init":{"saved":false}}
{"process":"a","set":{"locked":false}}
{"process":"b","set":{"saved":true}}`,
	},
	{
		Name: "stable", Params: []string{"P"},
		Sentence: "Once P is true, it stays true.",
		Formula:  "AG(($1) -> AG($1))",
		Example:  []string{"done@a"},
		// The last state is right, so only a property of all states notices the one before the
		// last.
		Mistake: "AF(AG($1))", Why: "says that P is true in the end",
		Trace: `{"process":"a","init":{"done":false}}
{"process":"a","set":{"done":true}}
{"process":"a","set":{"done":false}}
{"process":"a","set":{"done":true}}`,
	},
	{
		Name: "once", Params: []string{"P"},
		Sentence: "P becomes true at most once: when it is over, it does not come back.",
		Formula:  "AG(($1) -> AG(!($1) -> AG(!($1))))",
		Example:  []string{"paying@shop"},
		Mistake:  "AG(($1) -> AF(!($1)))", Why: "says that P ends each time",
		// The shop pays twice, and each payment ends: the mistake asks for the end alone.
		Trace: `{"process":"shop","init":{"paying":false}}
{"process":"shop","set":{"paying":true}}
{"process":"shop","set":{"paying":false}}
{"process":"shop","set":{"paying":true}}
{"process":"shop","set":{"paying":false}}`,
	},
	{
		Name: "resettable", Params: []string{"P"},
		Sentence: "It stays possible to come to P, whatever has happened.",
		Formula:  "AG(EF($1))",
		Example:  []string{"idle@a && idle@b"},
		Mistake:  "EF($1)", Why: "says that P is possible at the beginning",
		// No process becomes idle again, so the first state alone satisfies the mistake.
		Trace: `{"process":"a","init":{"idle":true}}
{"process":"b","init":{"idle":true}}
{"process":"a","set":{"idle":false}}
{"process":"b","set":{"idle":false}}`,
	},
	{
		Name: "monotone", Params: []string{"X", "VALUE"}, More: true,
		Sentence: "The number X, once it has come to one of the values, does not fall below it.",
		Formula:  "AG($1 >= $2 -> AG($1 >= $2))",
		Example:  []string{"term@n1", "1", "2"},
		Mistake:  "EF($1 < $2 && EF($1 >= $2))", Why: "says that X can grow",
		// The term falls from 2 to 1, and then rises above both.
		Trace: `{"process":"n1","init":{"term":0}}
{"process":"n1","set":{"term":2}}
{"process":"n1","set":{"term":1}}
{"process":"n1","set":{"term":3}}`,
	},
	{
		Name: "channel", Params: []string{"P", "Q", "K"},
		Sentence: "At most K messages are under way from process P to process Q.",
		Formula:  "AG(transit($1, $2) <= $3)",
		Example:  []string{"a", "b", "1"},
		Mistake:  "AF(transit($1, $2) <= $3)", Why: "is true at the beginning, when no message has been sent",
		// Both messages may be sent before either is received: the channel then holds two.
		Trace: `{"process":"a","send":"m1","to":"b"}
{"process":"a","send":"m2","to":"b"}
{"process":"b","recv":"m1"}
{"process":"b","recv":"m2"}`,
	},
	{
		Name: "response", Params: []string{"FIELD", "FIRST", "THEN"},
		Sentence: "For each value, the first kind of event is followed by the second.",
		Formula:  "forall r in values($1): AG(once(($2) && $1 == r) -> AF(once(($3) && $1 == r)))",
		Within:   "forall r in values($1): AG(once(($2) && $1 == r) -> AF[<= $4] once(($3) && $1 == r))",
		Example:  []string{"req", `op == "recv"`, `op == "done"`},
		Mistake:  `AF(once($3))`, Why: "is content with one answer to any request",
		// r2 is never answered.
		Trace: `{"process":"web","set":{"op":"recv","req":"r1"}}
{"process":"web","set":{"op":"recv","req":"r2"}}
{"process":"web","set":{"op":"done","req":"r1"}}`,
	},
	{
		Name: "precedence", Params: []string{"FIELD", "FIRST", "THEN"},
		Sentence: "For each value, the second kind of event does not happen before the first.",
		Formula:  "forall r in values($1): AG(once(($3) && $1 == r) -> once(($2) && $1 == r))",
		Example:  []string{"order", `op == "reserve"`, `op == "charge"`},
		Mistake:  `forall r in values($1): EF(once(($2) && $1 == r) && once(($3) && $1 == r))`, Why: "says that both happen, in whatever order",
		// Nothing orders the two, so the charge may come first.
		Trace: `{"process":"stock","set":{"op":"reserve","order":"o1"}}
{"process":"payment","set":{"op":"charge","order":"o1"}}`,
	},
	{
		Name: "at-most-once", Params: []string{"FIELD", "CONDITION"},
		Sentence: "For each value, at most one event of that kind ever happens.",
		Formula:  "forall r in values($1): AG(events(($2) && $1 == r) <= 1)",
		Example:  []string{"term", `op == "become leader"`},
		Mistake:  `AG(forall i: events($2)@i <= 1)`, Why: "says so of each process",
		// Two leaders of term 1, one after the other.
		Trace: `{"process":"n1","set":{"op":"become leader","term":1},"send":"m"}
{"process":"n2","recv":"m","set":{"op":"become leader","term":1}}`,
	},
	{
		Name: "fifo", Params: []string{"KEY", "NUMBER"},
		Sentence: "For each key, numbers do not fall from an event to a later one.",
		Formula:  "forall e in events(has($1) && has($2)): forall d in events($1 == e.$1): e before d -> e.$2 <= d.$2",
		Example:  []string{"key", "seq"},
		Mistake:  "forall e in events(has($1) && has($2)): exists d in events($1 == e.$1): e.$2 <= d.$2", Why: "is true of each event and itself",
		Trace: `{"process":"a","set":{"key":"k","seq":2}}
{"process":"a","set":{"key":"k","seq":1}}`,
	},
	{
		Name: "race", Params: []string{"KEY", "CONDITION"},
		Sentence: "For each key, of two events of that kind one happened before the other.",
		Formula:  "forall k in values($1 where $2): forall e != d in events(($2) && $1 == k): e before d || d before e",
		Example:  []string{"key", `op == "write"`},
		Mistake:  "forall e in events($2): exists d in events($2): e.$1 == d.$1", Why: "is true of each event and itself",
		// No message orders the two writes.
		Trace: `{"process":"a","set":{"op":"write","key":"k"}}
{"process":"b","set":{"op":"write","key":"k"}}`,
	},
	{
		Name: "mutex", Params: []string{"VARIABLE"},
		Sentence: "Of all processes that have the variable, no two have it true at once.",
		Formula:  "AG(forall i != j having $1: !($1@i && $1@j))",
		Example:  []string{"cs"},
		Mistake:  "forall i != j having $1: !($1@i && $1@j)", Why: "speaks of the initial state alone: AG is missing",
		// As in exclusive, but the formula finds the processes by their variable.
		Trace: `{"process":"a","init":{"cs":false}}
{"process":"b","init":{"cs":false}}
{"process":"a","set":{"cs":true}}
{"process":"a","set":{"cs":false}}
{"process":"b","set":{"cs":true}}`,
	},
	{
		Name: "atmost", Params: []string{"K", "VARIABLE"},
		Sentence: "At most K processes have the variable true at once.",
		Formula:  "AG((count i having $2: $2@i) <= $1)",
		Example:  []string{"1", "busy"},
		Mistake:  "EF((count i having $2: $2@i) <= $1)", Why: "says that some state has few",
		// Only processes that have the variable are counted, so a third process would change
		// nothing.
		Trace: `{"process":"a","init":{"busy":false}}
{"process":"b","init":{"busy":false}}
{"process":"a","set":{"busy":true}}
{"process":"b","set":{"busy":true}}`,
	},
	{
		Name: "agreement", Params: []string{"VARIABLE", "NONE"},
		Sentence: "Processes that have decided, whose variable is not NONE, have decided the same.",
		Formula:  "AG(forall i != j having $1: $1@i == $2 || $1@j == $2 || $1@i == $1@j)",
		Example:  []string{"value", "0"},
		Mistake:  "AF(forall i != j having $1: $1@i == $1@j)", Why: "is true at the beginning, when none has decided",
		// The second decision contradicts the first; NONE stands for a process that has not
		// decided.
		Trace: `{"process":"a","init":{"value":0}}
{"process":"b","init":{"value":0}}
{"process":"a","set":{"value":1}}
{"process":"b","set":{"value":2}}`,
	},
	{
		Name: "unique", Params: []string{"ROLE", "LEADER", "TERM"},
		Sentence: "No two processes have the role of leader in the same term.",
		Formula:  "AG(forall i != j having $1, $3: !($1@i == $2 && $1@j == $2 && $3@i == $3@j))",
		Example:  []string{"role", `"leader"`, "term"},
		Mistake:  "AG(exists i != j having $1, $3: !($1@i == $2 && $1@j == $2 && $3@i == $3@j))", Why: "says that some two processes do not",
		// Three processes, so that a pair that agrees exists: the mistake is content with one.
		Trace: `{"process":"n1","init":{"role":"follower","term":0}}
{"process":"n2","init":{"role":"follower","term":0}}
{"process":"n3","init":{"role":"follower","term":0}}
{"process":"n1","set":{"role":"leader","term":1}}
{"process":"n2","set":{"role":"leader","term":1}}`,
	},
	{
		Name: "quorum", Params: []string{"P", "VARIABLE", "K"},
		Sentence: "When P is true, at least K processes have the variable true.",
		Formula:  "AG(($1) -> (count i having $2: $2@i) >= $3)",
		Example:  []string{"leader@n1", "voted", "2"},
		Mistake:  "AG((count i having $2: $2@i) >= $3 -> ($1))", Why: "is the converse: with K votes, P is true",
		// One vote of the two that the quorum asks for: the leader counts its own alone.
		Trace: `{"process":"n1","init":{"leader":false,"voted":false}}
{"process":"n2","init":{"voted":false}}
{"process":"n1","set":{"leader":true,"voted":true}}`,
	},
	{
		Name: "conserved", Params: []string{"VARIABLE", "TOTAL"},
		Sentence: "The variable of all processes together is always TOTAL.",
		Formula:  "AG((sum i having $1: $1@i) == $2)",
		Example:  []string{"money", "10"},
		Mistake:  "AF((sum i having $1: $1@i) == $2)", Why: "is true at the beginning; what is under way in messages is another: add it to the sum",
		// While the message is under way the sum is 9: money in transit belongs to no process.
		Trace: `{"process":"a","init":{"money":6}}
{"process":"b","init":{"money":4}}
{"process":"a","set":{"money":5},"send":"one"}
{"process":"b","recv":"one","set":{"money":5}}`,
	},
	{
		Name: "kept", Params: []string{"TOTAL", "VARIABLE"},
		Sentence: "No update is lost: TOTAL is at least what all processes have confirmed together.",
		Formula:  "AG($1 >= (sum i having $2: $2@i))",
		Example:  []string{"stored@db", "confirmed"},
		Mistake:  "EF($1 == (sum i having $2: $2@i))", Why: "says that they can be equal, as they are at the beginning",
		// Two confirmations of one stored update: the sum exceeds the total.
		Trace: `{"process":"db","init":{"stored":0}}
{"process":"a","init":{"confirmed":0}}
{"process":"b","init":{"confirmed":0}}
{"process":"db","set":{"stored":1},"send":["ok a","ok b"]}
{"process":"a","recv":"ok a","set":{"confirmed":1}}
{"process":"b","recv":"ok b","set":{"confirmed":1}}`,
	},
}
