/* Mutual exclusion as it is not done: each process looks at the flag of the other
 * before it raises its own, so both may find the way free.
 */
bool flag[2];

active [2] proctype user() {
	bool cs;
	byte rounds;
	do
	:: rounds < 2 ->
		flag[1 - _pid] == false;
		flag[_pid] = true;
		cs = true;
		cs = false;
		flag[_pid] = false;
		rounds++
	:: else -> break
	od
}
