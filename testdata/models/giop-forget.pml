#define FORGET
#include "giop.pml"
