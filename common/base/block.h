// Blocks of memory: beginning with a cache line, zero, and large ones mappings of their own, which
// the kernel makes longer by moving their pages instead of what is in them. So a world of 200 000
// bodies that gets one more does not stand still while its bodies or contacts are copied. Memory
// that cannot be had ends the process: every caller's demand is bounded by a named limit
// beforehand.
#ifndef CAROM_COMMON_BASE_BLOCK_H
#define CAROM_COMMON_BASE_BLOCK_H

#include <stdatomic.h>
#include <stddef.h>

enum {
    BLOCK_ALIGNMENT = 64,       // so that vector loads never straddle two cache lines
    BLOCK_MAPPED_FROM = 1 << 20 // bytes
};

// A block knows nothing of its size: whoever has it does.
void *block_take(size_t bytes);
// The same block or another one, with as much of what was in it as fits; what is beyond that is
// zero. NULL and 0: a new one; to 0: none.
void *block_resize(void *data, size_t before, size_t bytes);
void block_give_back(void *data, size_t bytes); // NULL: nothing

// Bytes in mappings of all blocks of the process, which malloc's figures leave out. For measuring.
size_t block_mapped_bytes(void);

// Whose blocks take how much: bytes of those that were taken, less of those that were given back,
// while a thread had the account. Each block counts in `parent` too (NULL: there is none). A block
// may be taken by one thread and given back by another, as long as both have the same account then.
typedef struct block_account {
    atomic_int_least64_t bytes;
    struct block_account *parent;
} block_account;

// The account of this thread from now on; NULL, as at first: blocks are counted nowhere. Returns
// the one that it had. (Nothing is counted in programs that are small, see assert.h.)
block_account *block_charge(block_account *account);

#endif
