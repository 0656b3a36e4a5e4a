/* Jumps, nested selections, blocks, declarations among statements, labels at ends,
   atomic sequences that block and that are left and entered by goto, select. */
byte x, y;
chan c = [1] of { byte };

inline twice(v, by) {
	byte t;
	t = by;
	v = v + t;
	again: v = (v + t) % 5
}

active proctype A() {
	byte n;
	select (n : 1 .. 3);
	if
	:: n > 1 -> goto middle
	:: n == 1 -> skip
	:: else
	fi;
	{ byte z = 2; twice(x, z); z = 0 };
middle:
	atomic {
		if
		:: x > 2 -> goto out
		:: x <= 2 -> y = 1
		:: y > 3
		fi;
		y = y + 1;
		if :: y == 2 :: y > 5 -> y = 0 fi
	};
	do
	:: x < 3 -> atomic { x++; c!x; y = x }
	:: x >= 3 -> if :: y > 0 -> break :: true -> goto end fi
	od;
out:
	twice(y, 1);
end:	do
	:: c?n
	:: y > 4 -> y = 0; goto middle
	od
}

active proctype B() {
	byte k;
	do
	:: atomic { c?k -> x = x - 1 }
	:: k == 3 -> d_step { if :: x > 1 -> x = 0 :: else -> y = 1 fi; do :: k > 0 -> k-- :: k == 0 -> break od }
	:: timeout -> break
	od
}
