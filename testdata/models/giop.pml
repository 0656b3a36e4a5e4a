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

active [USERS] proctype user() {
	Message m, r;
	byte to = 0;
	byte n;

	do
	:: n < 2 ->
		n++;
		m.from = _pid;
		m.number = n;
		pending[_pid] = n;
		toAgent[to]!request, m;
ask:		do
		:: toUser[_pid]?reply, r -> break
		:: toUser[_pid]?forward, r -> to = 1 - to; toAgent[to]!request, m
		od;
got:		assert(r.from == _pid && r.number == pending[_pid]);
		atomic { pending[_pid] = 0; r.from = 0; r.number = 0 }
	:: else -> break
	od
}

active [AGENTS] proctype agent() {
	Message m;
	byte me = _pid - USERS;

	if
	:: me == 0 -> agents[me].state = here
	:: else -> agents[me].state = away
	fi;
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

active proctype server() {
	byte from, number, where = 0;

end:	do
	:: serve?from, number -> served!from, number
	:: migrations < 2 ->
		where = 1 - where;
		move!where;
		migrations++
	od
}
