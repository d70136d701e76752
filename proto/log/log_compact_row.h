// Definitions that encoding and decoding of the compact form share; see log_compact.h. Internal to
// proto/log. Pure; any thread.
#ifndef CAROM_PROTO_LOG_LOG_COMPACT_ROW_H
#define CAROM_PROTO_LOG_LOG_COMPACT_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/log/log_compact.h"
#include "proto/methods.h"

// The name of the world that a command names.
typedef enum compact_world {
    COMPACT_WORLD_NONE,
    COMPACT_WORLD_OWN, // the world of the stream
    COMPACT_WORLD_OTHER
} compact_world;

// How a number is encoded: two bits.
typedef enum compact_number {
    COMPACT_INTEGER, // zigzag varint
    COMPACT_FLOAT,   // 32 bits, little-endian
    COMPACT_DOUBLE,  // 64 bits, little-endian
    COMPACT_SAME     // equal to that of the row to which this one is a difference
} compact_number;

// The head of a row.
enum {
    COMPACT_TICKS_MOST = 3, // largest number in two bits; a larger one continues in a varint
    COMPACT_LIKE = 1 << 2,
    COMPACT_SHIFT = 3 // shift of the bits for the world's name, or for the distance less 1
};

// Whole numbers up to this are encoded as such: exact in a double, and short as a varint.
#define COMPACT_INTEGER_MOST 1e9

// A row with only ids and numbers as arguments: later rows may be differences to it.
typedef struct compact_row {
    uint64_t session;
    method method;
    compact_world world; // never COMPACT_WORLD_OTHER
    uint32_t mask;       // bits of the given arguments
    uint32_t id_count, number_count;
    uint64_t ids[LOG_COMPACT_IDS_MAX];
    double numbers[LOG_COMPACT_NUMBERS_MAX];
    bool flat; // it is such a row
} compact_row;

// The last rows, newest first.
typedef struct compact_window {
    compact_row rows[LOG_COMPACT_BACK_MAX];
    uint32_t count, next;
} compact_window;

static inline void compact_window_push(compact_window *w, const compact_row *row)
{
    w->rows[w->next] = *row;
    w->next = (w->next + 1) % LOG_COMPACT_BACK_MAX;
    w->count += w->count < LOG_COMPACT_BACK_MAX;
}

// The row `distance` before: 1 to count.
static inline const compact_row *compact_window_at(const compact_window *w, uint32_t distance)
{
    return &w->rows[(w->next + LOG_COMPACT_BACK_MAX - distance) % LOG_COMPACT_BACK_MAX];
}

// Numbers of an argument that has a fixed count of them; 0: it is of another kind.
static inline uint32_t compact_number_count(const method_arg *arg)
{
    return arg->type == ARG_NUMBER   ? 1
           : arg->type == ARG_VECTOR ? 2
           : arg->type == ARG_AREA   ? 4
                                     : 0;
}

static inline uint64_t compact_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t compact_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

// A float's place among all floats, so that near ones have near places.
int32_t compact_place_of(double value); // `value` is rounded to float
double compact_at_place(int32_t place);

#endif
