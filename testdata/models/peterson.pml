/* Mutual exclusion of two processes (Peterson, 1981).
 *
 * Fault LATE: a process says that it is interested after it has given the turn away.
 */
bool interested[2];
byte turn;
byte inside;

active [2] proctype user() {
	byte other = 1 - _pid;

idle:	do
	:: true ->
#ifdef LATE
		turn = other;
		interested[_pid] = true;
#else
		interested[_pid] = true;
		turn = other;
#endif
wait:		(!interested[other] || turn == _pid);
		inside++;
cs:		assert(inside == 1);
		inside--;
		interested[_pid] = false
	od
}
