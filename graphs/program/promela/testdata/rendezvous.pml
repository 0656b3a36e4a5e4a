/* Handshakes: matched by constants and eval, in atomic sequences, which pass control to
   the receiver, at the beginning of a d_step, and through channels that are sent. */
chan to[2] = [0] of { byte, byte };
chan door = [0] of { chan };
byte sum, order;

active [2] proctype client() {
	chan own = [0] of { byte };
	byte answer;
	atomic { to[_pid]!_pid + 1, 5 -> order = order * 2 + _pid };
	door!own;
	own?answer;
	sum = sum + answer
}

active proctype server() {
	byte x, k;
	chan c;
	do
	:: to[0]?1, x; sum = sum + x
	:: atomic { to[1]?eval(k + 2), x -> sum = sum + 2 * x; k = 0 }
	:: d_step { door?c -> k = 0 }; c!x + 10
	:: timeout -> break
	od
}
