/* pota: run: spin -a FILE && gcc -O2 -DSAFETY -o pan pan.c && ./pan -n -m10000 */
/* pota: errors mean: holds */

/* formula: E[x + y < 8 U x == 4] */

local byte at_P1 = 0; byte seen_P1 = 0; /* P1 */
local byte at_P2 = 0; byte seen_P2 = 0; /* P2 */

/* x + y < 8 */
#define prop_1 (((seen_P1 >= 2 -> (seen_P1 >= 3 -> 4 : 3) : (seen_P1 >= 1 -> 1 : 0)) + (seen_P2 >= 2 -> (seen_P2 >= 3 -> 4 : 2) : (seen_P2 >= 1 -> 1 : 0)) < 7))
/* x == 4 */
#define prop_2 ((seen_P1 >= 2 && seen_P1 < 3))

/* process P1:
   1 e1, 2 e2, 3 e3 */
active proctype proc_P1()
{
end:
  do
  :: d_step { ((at_P1 <= 2)
       && (at_P1 != 0 || at_P2 >= 1) /* e1 after f1 */
     ) -> at_P1++; seen_P1 = at_P1 }
  od
}

/* process P2:
   1 f1, 2 f2, 3 f3 */
active proctype proc_P2()
{
end:
  do
  :: d_step { (at_P2 <= 2) -> at_P2++; seen_P2 = at_P2 }
  od
}

/* some run has: (prop_1 U prop_2) */
never {
start: /* (prop_1 U prop_2) */
  do
  :: atomic { prop_2 -> assert(false) }
  :: prop_1
  od;
}
