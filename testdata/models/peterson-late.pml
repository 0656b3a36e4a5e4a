#define LATE
#include "peterson.pml"
