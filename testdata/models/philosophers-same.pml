#define SAME
#include "philosophers.pml"
