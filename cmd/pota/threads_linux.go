//go:build cgo

package main

// Package net links the C library. That reserves 128 MB of addresses for each thread that
// allocates memory, and eight for its stack, which under a limit of address space leaves the
// runtime of Go no room before it begins. Go's threads allocate next to nothing there, and
// hardly use these stacks: one arena is enough, and stacks of 256 KiB. Another C library
// than glibc has no arenas and small stacks.

/*
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>

// It runs before the runtime starts threads.
__attribute__((constructor)) static void fewer_addresses(void) {
	pthread_attr_t attributes;
	mallopt(M_ARENA_MAX, 1);
	if (pthread_attr_init(&attributes) == 0) {
		if (pthread_attr_setstacksize(&attributes, 256 << 10) == 0)
			pthread_setattr_default_np(&attributes);
		pthread_attr_destroy(&attributes);
	}
}
#endif
*/
import "C"
