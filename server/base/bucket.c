// Refilling and charging; see bucket.h.
#include "server/base/bucket.h"

static const double REFUSAL_SHARE = 0.1; // share of the price that a refusal costs

static void fill(bucket *b, double rate, double burst, uint64_t now_ms)
{
    double elapsed_s = b->begun ? (double)(now_ms - b->filled_ms) * 1e-3 : 0.0;
    b->level = b->begun ? b->level + elapsed_s * rate : burst;
    b->level = b->level < burst ? b->level : burst;
    b->filled_ms = now_ms;
    b->begun = true;
}

bucket_answer bucket_pay(bucket *b, double price, double rate, double burst, uint64_t now_ms)
{
    fill(b, rate, burst, now_ms);
    // A full bucket accepts a price above the burst.
    if (b->level >= price || (price > burst && b->level >= burst)) {
        b->level -= price;
        return BUCKET_PAID;
    }
    b->level -= REFUSAL_SHARE * price;
    return b->level < -burst ? BUCKET_EXHAUSTED : BUCKET_REFUSED;
}

bool bucket_try(bucket *b, double price, double rate, double burst, uint64_t now_ms)
{
    fill(b, rate, burst, now_ms);
    bool enough = b->level >= price;
    b->level -= enough ? price : 0.0;
    return enough;
}

bool bucket_charge(bucket *b, double price, double rate, double burst, uint64_t now_ms)
{
    fill(b, rate, burst, now_ms);
    b->level -= price;
    return b->level >= 0.0;
}

bool bucket_full(bucket *b, double rate, double burst, uint64_t now_ms)
{
    fill(b, rate, burst, now_ms);
    return b->level >= burst;
}
