/* A large array, and processes that are at work on it. */
byte a[300];
byte n;

proctype worker(byte from; byte to) {
	byte i = from;

	do
	:: i < to -> a[i * 70] = a[(i + 1) * 70] + 1; i++
	:: else -> break
	od;
	n++
}

init {
	atomic { run worker(0, 2); run worker(1, 4) };
	a[4] == 0 && n == 2
}
