/* The alternating bit protocol over channels that lose messages (Bartlett, Scantlebury
 * and Wilkinson, 1969). The sender sends 0, 1, 2, …, modulo 4.
 *
 * Fault DEAF: the receiver takes whatever comes, without a look at the bit.
 */
#define MODULUS 4

mtype = { message, ack };
chan data = [1] of { mtype, byte, bit };
chan acks = [1] of { mtype, bit };
byte sent, received;

inline transmit() {
	if
	:: data!message(sent, b)
	:: skip		/* it is lost */
	fi
}

active proctype sender() {
	bit b, got;

	do
	:: atomic {
		transmit();
		got = !b
	   };
wait:	   do
	   :: acks?ack(got) ->
		if
		:: got == b -> break
		:: else
		fi
	   :: empty(acks) && empty(data) -> transmit()
	   od;
next:	   atomic { b = !b; sent = (sent + 1) % MODULUS }
	od
}

active proctype receiver() {
	bit expected, b;
	byte value;

	do
	:: data?message(value, b) ->
		if
#ifdef DEAF
		:: true ->
#else
		:: b == expected ->
#endif
accept:			assert(value == received);
			d_step { expected = !expected; received = (received + 1) % MODULUS }
#ifndef DEAF
		:: else
#endif
		fi;
		if
		:: acks!ack(b)
		:: skip
		fi
	od
}
