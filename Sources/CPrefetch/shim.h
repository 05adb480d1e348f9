#pragma once
#include <stddef.h>
#include <stdint.h>

/* Bytes of a cache line on the processors of today. */
enum { GROVE_CACHE_LINE = 64 };

/* Asks the processor to load the cache line of an address, and doesn't wait for it. Any value is
 * allowed: an address that can't be read is ignored. */
static inline void grove_prefetch(const void *address) { __builtin_prefetch(address, 1, 3); }

/* The same for all lines of some bytes. */
static inline void grove_prefetch_all(const void *address, size_t bytes) {
    for (size_t at = 0; at < bytes; at += GROVE_CACHE_LINE)
        grove_prefetch((const void *)((uintptr_t)address + at));
}
