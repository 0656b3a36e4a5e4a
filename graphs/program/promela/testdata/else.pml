/* Else beside sends, and in nested selections. */
chan r = [0] of { byte };
chan q = [1] of { byte };
byte x;

active proctype A() {
	do
	:: q!1
	:: else -> break
	od;
	if
	:: r!1
	:: else -> x = 1
	fi;
	if
	:: if :: x == 2 -> x = 3 :: else -> x = 4 fi
	:: x == 1 -> x = 5
	fi
}

active proctype B() {
	byte k;
	k = 3;
	r?k;
	q?k;
	if :: q?k :: empty(q) -> x = 2 fi
}

active proctype C() {
	byte n;
	d_step { if :: q?[1] -> n = 1 :: else -> n = 2 fi };
	d_step { if :: q?n :: else -> n = 3 fi }
}
