/* A boss hands out work by rendezvous to workers that it starts, and collects what
 * they make of it on a queue. One d_step counts the results and notes the best.
 */
mtype = { task, stop };
chan give = [0] of { mtype, byte };
chan results = [4] of { byte };
mtype mode = task;
byte collected, best = 1;

proctype worker() {
	byte n, jobs;
	end: do
	:: give?task,n -> jobs++; n = n * n; results!n
	:: give?stop,_ -> break
	od
}

init {
	byte r, i;
	run worker();
	run worker();
	do
	:: i < 3 -> i++; give!task(i)
	:: i == 3 -> break
	od;
	do
	:: len(results) > 0 ->
		results?r;
		d_step { collected++; best = (r > best -> r : best) }
	:: collected == 3 -> break
	od;
	mode = stop;
	give!stop(0);
	give!stop(0);
	assert(best == 9)
}
