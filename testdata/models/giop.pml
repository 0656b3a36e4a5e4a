/* Requests of users to a server that migrates between agents, after the General
 * Inter-ORB Protocol: an agent forwards requests to where the server has gone.
 *
 * Fault FORGET: an agent that the server has left answers requests itself.
 */
#define USERS 2
#define AGENTS 2

mtype = { request, reply, forward };
mtype:place = { here, away };

typedef Message {
	byte from;
	byte number
};

typedef Agent {
	mtype:place state;
	byte handled
};

chan toUser[USERS] = [1] of { mtype, Message };
chan toAgent[AGENTS] = [USERS] of { mtype, Message };
chan serve = [0] of { byte, byte };	/* from whom, number */
chan served = [0] of { byte, byte };
chan move = [0] of { byte };
Agent agents[AGENTS];
byte pending[USERS];
byte migrations;

inline answer(m) {
	serve!m.from, m.number;
	served?m.from, m.number;
	agents[me].handled++;
	toUser[m.from]!reply, m
}

proctype user(byte me) {
	Message m, r;
	byte to = 0;
	byte n;

	do
	:: n < 2 ->
		n++;
		m.from = me;
		m.number = n;
		pending[me] = n;
		toAgent[to]!request, m;
ask:		do
		:: toUser[me]?reply, r -> break
		:: toUser[me]?forward, r -> to = 1 - to; toAgent[to]!request, m
		od;
got:		assert(r.from == me && r.number == pending[me]);
		atomic { pending[me] = 0; r.from = 0; r.number = 0 }
	:: else -> break
	od
}

proctype agent(byte me) {
	Message m;

end:	do
	:: toAgent[me]?request, m ->
		if
		:: agents[me].state == here -> answer(m)
#ifdef FORGET
		:: agents[me].state == away -> m.number = 0; toUser[m.from]!reply, m
#else
		:: agents[me].state == away -> toUser[m.from]!forward, m
#endif
		fi
	:: move?eval(me) ->
		d_step { agents[me].state = here; agents[1 - me].state = away }
	od
}

proctype server() {
	byte from, number, where = 0;

end:	do
	:: serve?from, number -> served!from, number
	:: migrations < 2 ->
		where = 1 - where;
		move!where;
		migrations++
	od
}

init {
	byte i;

	d_step { agents[0].state = here; agents[1].state = away };
	atomic {
		for (i : 0 .. USERS - 1) { run user(i) }
		for (i : 0 .. AGENTS - 1) { run agent(i) }
		run server()
	}
}
