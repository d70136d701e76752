// A token bucket: how much somebody may do, in the long run and at once.
//
// It fills with `rate` a second up to `burst`. A request that it cannot pay is refused and costs
// a tenth: somebody a little above the rate gets most of it, somebody who goes on regardless sinks
// into debt. A bucket that owes more than `burst` is exhausted. Times are the loop's, in
// milliseconds; rates may change between two calls. Pure functions over the struct; any thread.
#ifndef CAROM_SERVER_BASE_BUCKET_H
#define CAROM_SERVER_BASE_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bucket {
    double level;
    uint64_t filled_ms; // when it was last filled
    bool begun;         // false: it is full
} bucket;

typedef enum bucket_answer { BUCKET_PAID, BUCKET_REFUSED, BUCKET_EXHAUSTED } bucket_answer;

bucket_answer bucket_pay(bucket *b, double price, double rate, double burst, uint64_t now_ms);

// The same for what makes no debts: a refusal costs nothing.
bool bucket_try(bucket *b, double price, double rate, double burst, uint64_t now_ms);

// Pays in any case, into debt if need be. Returns whether there is none.
bool bucket_charge(bucket *b, double price, double rate, double burst, uint64_t now_ms);

// Whether it is full, and need not be remembered.
bool bucket_full(bucket *b, double rate, double burst, uint64_t now_ms);

#endif
