// A clock that a test can set: gettimeofday, which is what Redis's TIME shows, is off by the
// seconds in the file that CLOCK_OFFSET names, 8 bytes of this machine's order. Preloaded.
// (libfaketime does the same, but deadlocks with the jemalloc of Debian's redis-server.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

static volatile int64_t *offset;

__attribute__((constructor)) static void begin(void) {
	int file = open(getenv("CLOCK_OFFSET"), O_RDONLY);
	void *at = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
	if (file < 0 || at == MAP_FAILED)
		abort();
	offset = at;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
	static int (*real)(struct timeval *, void *);
	if (!real)
		real = dlsym(RTLD_NEXT, "gettimeofday");
	int failed = real(now, zone);
	if (!failed && offset)
		now->tv_sec += *offset;
	return failed;
}
