/* A token goes round a ring of channels. Whoever has it works, and adds one to what
 * it says; when that is enough, the token is taken out of the ring.
 */
#define N 3
#define ENOUGH 7

chan ring[N] = [1] of { byte };
byte done;

proctype node(chan in, out) {
	byte token;
	bool work;
	do
	:: in?token ->
		if
		:: token == ENOUGH -> out!token; break
		:: else ->
			work = true;
			done++;
			work = false;
			out!token + 1
		fi;
	od
}

init {
	atomic {
		run node(ring[0], ring[1]);
		run node(ring[1], ring[2]);
		run node(ring[2], ring[0])
	};
	ring[0]!1
}
