// A token bucket: limits a rate in the long run, and a burst at once.
//
// It fills with `rate` a second up to `burst`. A request above the level is refused and costs a
// tenth of its price: a client a little above the rate gets most of it, one that ignores refusals
// sinks into debt. A bucket whose debt exceeds `burst` is exhausted. Times are the loop's, in
// milliseconds; rates may change between two calls. Pure functions over the struct; any thread.
#ifndef CAROM_SERVER_BASE_BUCKET_H
#define CAROM_SERVER_BASE_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bucket {
    double level;
    uint64_t filled_ms; // time of the last refill
    bool begun;         // false: not used yet, so full
} bucket;

typedef enum bucket_answer { BUCKET_PAID, BUCKET_REFUSED, BUCKET_EXHAUSTED } bucket_answer;

bucket_answer bucket_pay(bucket *b, double price, double rate, double burst, uint64_t now_ms);

// Like bucket_pay, but a refusal costs nothing.
bool bucket_try(bucket *b, double price, double rate, double burst, uint64_t now_ms);

// Charges the price even beyond the level. Returns false if the bucket is then in debt.
bool bucket_charge(bucket *b, double price, double rate, double burst, uint64_t now_ms);

// Whether the bucket is full, so that its owner may drop it.
bool bucket_full(bucket *b, double rate, double burst, uint64_t now_ms);

#endif
