/* pota: run: spin -a FILE && gcc -O2 -DSAFETY -o pan pan.c && ./pan -n -m10000 */
/* pota: errors mean: fails */

/* formula: AG(!(x == 2) || EF(y == 1)) */

local byte at_P1 = 0; byte seen_P1 = 0; /* P1 */
local byte at_P2 = 0; byte seen_P2 = 0; /* P2 */

/* AG !(y == 1), by its slice */
#define prop_1 ((seen_P2 >= 2 && (seen_P2 < 1 || seen_P2 >= 2)))
/* x == 2 */
#define prop_2 ((seen_P1 >= 1 && seen_P1 < 2))

/* process P1:
   1 e1, 2 e2, 3 e3 */
active proctype proc_P1()
{
end:
  do
  :: d_step { (at_P1 == 2) -> at_P1++ }
  :: (at_P1 <= 1) ->
    if
    :: d_step { ((at_P1 != 0 || at_P2 >= 1) /* e1 after f1 */
       ) -> at_P1++; seen_P1 = at_P1 }
    fi
  od
}

/* process P2:
   1 f1, 2 f2, 3 f3 */
active proctype proc_P2()
{
end:
  do
  :: d_step { (at_P2 == 2) -> at_P2++ }
  :: (at_P2 <= 1) ->
    if
    :: d_step { true -> at_P2++; seen_P2 = at_P2 }
    fi
  od
}

/* some run has: <> (prop_2 && prop_1) */
never {
start: /* <> (prop_2 && prop_1) */
  do
  :: atomic { (prop_2 && prop_1) -> assert(false) }
  :: true
  od;
}
