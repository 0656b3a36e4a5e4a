/* Buffered channels of several fields, constants and eval in receives, sorted sends,
   random receives, looks at a channel, messages that stay. */
mtype = { data, ack, nak };
chan up = [2] of { mtype, byte, bool };
chan down = [3] of { byte, short };
byte got, seen;
short last;

active proctype sender() {
	byte n = 1;
	do
	:: up!data(n, n == 2) -> n++
	:: n > 2 -> break
	od;
	up!ack, 7, false;
	nempty(down) && len(down) < 3;
	if
	:: down??eval(n), last
	:: down?<seen, last> -> down?seen, last
	:: full(down) -> skip
	fi
}

active proctype receiver() {
	byte x;
	bool b;
	do
	:: up?data(x, b) -> got = got + x; down!!(9 - x), x * 100 - 300
	:: up?[ack, 7, _] -> up?ack, _, b; break
	:: down??[7, -100] && empty(up) -> down!!3, 1; down?_, last
	od
}
