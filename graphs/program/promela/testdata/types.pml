/* Values that do not fit, unsigned, structures, several mtypes, arithmetic. */
mtype = { a, b, c };
mtype:fruit = { apple, pear };
typedef Point { short x; byte y[2] };
typedef Box { Point p[2]; bit done; unsigned u : 3 };
Box box;
byte small = 250;
short middle = 32760;
int large = 2147483640;
bit flag;
mtype what = b;
mtype:fruit eaten = pear;
int results[8];

active proctype counter() {
	byte i;
	do
	:: i < 20 ->
		small = small + 3;
		middle = middle + 3;
		large = large + 3;
		flag = i;
		box.u = box.u + 5;
		box.p[i % 2].x = box.p[(i + 1) % 2].x - 1000;
		box.p[1].y[i & 1] = i << 4;
		i++
	:: i == 10 && what == b -> what = a; eaten = apple
	:: else -> break
	od;
	results[0] = -7 / 2; results[1] = -7 % 3; results[2] = ~small ^ 12; results[3] = large >> 2;
	results[4] = (what == a -> 5 : 6); results[5] = !small; results[6] = 3 - -2 | 8; results[7] = small - 300
}
