/* Election of the greatest number on a ring (Chang and Roberts, 1979).
 *
 * Fault EAGER: a node that sees a smaller number than its own takes itself for the
 * leader.
 */
#define N 4

mtype = { candidate, elected };
chan ring[N] = [N] of { mtype, byte };
byte leaders, known;

proctype node(byte me; byte mine) {
	byte number, leader;

	ring[(me + 1) % N]!candidate, mine;
	do
	:: ring[me]?candidate, number ->
		if
		:: number > mine -> ring[(me + 1) % N]!candidate, number
#ifdef EAGER
		:: number < mine || number == mine ->
#else
		:: number < mine
		:: number == mine ->
#endif
won:			leaders++;
			assert(leaders == 1);
			ring[(me + 1) % N]!elected, mine
		fi
	:: ring[me]?elected, number ->
		leader = number;
		known++;
		if
		:: leader != mine -> ring[(me + 1) % N]!elected, number
		:: else
		fi;
		break
	od;
done:	assert(leader == N + 2)
}

init {
	atomic {
		run node(0, 3);
		run node(1, N + 2);
		run node(2, 1);
		run node(3, 5)
	}
}
