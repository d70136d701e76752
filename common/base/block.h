// Blocks of memory: aligned to cache lines and zeroed. A large block is a mapping of its own, which
// the kernel extends by moving pages instead of copying bytes. So a world of 200 000 bodies does
// not pause for a copy when it gets one more. Running out of memory ends the process: every
// caller's demand is bounded by a named limit beforehand.
#ifndef CAROM_COMMON_BASE_BLOCK_H
#define CAROM_COMMON_BASE_BLOCK_H

#include <stdatomic.h>
#include <stddef.h>

enum {
    BLOCK_ALIGNMENT = 64,       // vector loads then never straddle two cache lines
    BLOCK_MAPPED_FROM = 1 << 20 // bytes
};

// Allocates a block. It does not store its size: the caller keeps it.
void *block_take(size_t bytes);
// Resizes a block, which may move. Keeps the content that fits; bytes beyond it are zero. NULL with
// size 0 allocates; a new size of 0 frees.
void *block_resize(void *data, size_t before, size_t bytes);
void block_give_back(void *data, size_t bytes); // NULL does nothing

// Bytes in mappings of all blocks of the process, which malloc's figures leave out. For measuring.
size_t block_mapped_bytes(void);

// Counts the bytes of the blocks that threads charged to this account have allocated, less those
// that they freed. Each block counts in `parent` too (NULL: no parent). One thread may allocate a
// block and another free it, as long as both charge the same account.
typedef struct block_account {
    atomic_int_least64_t bytes;
    struct block_account *parent;
} block_account;

// Charges this thread's blocks to `account` from now on; NULL, the initial value, counts them
// nowhere. Returns the previous account. (Programs built with CAROM_SMALL count nothing, see
// assert.h.)
block_account *block_charge(block_account *account);

#endif
