#define EAGER
#include "leader.pml"
