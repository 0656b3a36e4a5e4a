#define DEAF
#include "alternating-bit.pml"
