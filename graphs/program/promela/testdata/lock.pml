/* Arrays, else, break, d_step, run with parameters, _pid, assert. */
#define N 3
byte holder = 255;
bool wants[N];
byte inside;

proctype user(byte me; byte rounds) {
	byte k;
	do
	:: rounds > 0 ->
		wants[me] = true;
		atomic { holder == 255 -> holder = me };
		inside++;
		assert(inside == 1);
		inside--;
		d_step { holder = 255; wants[me] = false; k = 0 };
		rounds--
	:: else -> break
	od;
	assert(_pid == me + 1)
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run user(i, 2)
		}
	}
}
