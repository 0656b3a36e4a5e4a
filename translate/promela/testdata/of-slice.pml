/* pota: run: spin -a FILE && gcc -O2 -o pan pan.c && ./pan -a -n -m10000 */
/* pota: errors mean: fails */

/* formula: AF(x == 4) */

local byte at_P1 = 1; byte seen_P1 = 1; /* P1 */
local byte at_P2 = 1; /* P2 */

/* !(x == 4) */
#define prop_1 (seen_P1 < 2)

/* process P1:
   2 e2 */
active proctype proc_P1()
{
end:
  do
  :: d_step { (at_P1 == 1) -> at_P1++; seen_P1 = at_P1 }
  od
}

/* process P2:
   2 f2, 3 f3 */
active proctype proc_P2()
{
end:
  do
  /* together: f2, f3 */
  :: d_step { (at_P2 == 1) -> at_P2 = 3 }
  od
}

/* some run has: [] prop_1 */
never {
accept_start: /* [] prop_1 */
  do
  :: prop_1
  od;
}
