/* Processes end in the reverse order of their start, and pids are given anew. */
byte alive, done;

proctype child(byte depth) {
	alive++;
	if
	:: depth > 0 -> run child(depth - 1)
	:: depth <= 1
	fi;
	alive--
}

proctype other() { done = _nr_pr }

active proctype parent() {
	pid p;
	p = run child(1);
	run other();
	(_nr_pr == 1);
	p = run other()
}
