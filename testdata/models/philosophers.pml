/* Dining philosophers (Dijkstra, 1965), who take their forks one by one from the
 * processes that keep them. One of them is left-handed, so that they never starve all
 * together.
 *
 * Fault SAME: all of them take the fork at their right first.
 */
#define N 4

mtype = { take, put };
chan fork[N] = [0] of { mtype };
byte eating;

proctype keeper(chan c) {
free:	do
	:: c?take -> c?put
	od
}

proctype philosopher(byte me) {
	byte first, second;

	d_step {
		first = me;
		second = (me + 1) % N;
#ifndef SAME
		if
		:: me == N - 1 -> first = second; second = me
		:: else
		fi
#endif
	};
think:	do
	:: fork[first]!take;
hungry:	   fork[second]!take;
	   eating++;
eat:	   assert(eating <= N / 2);
	   eating--;
	   fork[second]!put;
	   fork[first]!put
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run keeper(fork[i]);
			run philosopher(i)
		}
	}
}
