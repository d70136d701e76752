// The tables' number, varints and places of floats, used by both directions of the compact form;
// see log_compact.h. Any thread.
#include "proto/log/log_compact.h"

#include <string.h>

#include "proto/log/log_compact_row.h"

bool log_compact_has(method m)
{
    return method_has(m, TRAIT_LOGGED) || METHODS[m].batch;
}

// FNV-1a of 32 bits (Fowler, Noll, Vo): it needs no table, which every web page would have to load.
static const uint32_t FNV_OFFSET = 0x811c9dc5;
static const uint32_t FNV_PRIME = 0x01000193;

static uint32_t add_byte(uint32_t sum, uint8_t byte)
{
    return (sum ^ byte) * FNV_PRIME;
}

static uint32_t add_text(uint32_t sum, const char *text)
{
    for (; *text != '\0'; text++) {
        sum = add_byte(sum, (uint8_t)*text);
    }
    return add_byte(sum, 0);
}

static uint32_t add_list(uint32_t sum, const arg_list *list)
{
    sum = add_text(sum, list->name);
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        if (arg->routing) {
            continue; // left out of logs
        }
        sum = add_byte(add_byte(add_text(sum, arg->name), (uint8_t)arg->type), arg->single);
        sum = add_text(sum, arg->choices != NULL ? arg->choices : "");
    }
    return sum;
}

uint32_t log_compact_tables(void)
{
    uint32_t sum = add_byte(FNV_OFFSET, LOG_COMPACT_FORMAT);
    for (uint8_t m = 0; m < METHOD_COUNT; m++) {
        if (log_compact_has((method)m)) {
            sum = add_list(add_byte(sum, m), &METHODS[m].list);
        }
    }
    for (int kind = 0; kind < METHOD_SHAPE_COUNT; kind++) {
        sum = add_list(sum, &METHOD_SHAPES[kind]);
    }
    sum = add_list(sum, &METHOD_FILTER);
    return sum != 0 ? sum : 1;
}

bool log_compact_bears_hash(const log_record *record, double hz)
{
    return (uint64_t)((double)record->tick / hz) > (uint64_t)((double)record->from / hz);
}

void log_varint_write(buffer *out, uint64_t value)
{
    uint8_t bytes[LOG_VARINT_BYTES_MAX];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
        bytes[size++] = (uint8_t)(value | 0x80);
    }
    bytes[size++] = (uint8_t)value;
    buffer_append(out, bytes, size);
}

bool log_varint_read(const uint8_t *bytes, size_t size, size_t *at, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < LOG_VARINT_BYTES_MAX && *at + i < size; i++) {
        const uint8_t byte = bytes[*at + i];
        if (i == LOG_VARINT_BYTES_MAX - 1 && byte > 1) {
            return false;
        }
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *at += i + 1;
            *out = value;
            return true;
        }
    }
    return false;
}

// As integers, the bits of floats from 0 up ascend with their values; those of negative floats
// descend.
int32_t compact_place_of(double value)
{
    const float single = (float)value;
    int32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits >= 0 ? bits : -1 - (bits & INT32_MAX);
}

double compact_at_place(int32_t place)
{
    const uint32_t bits = place >= 0 ? (uint32_t)place : (uint32_t)(-1 - place) | UINT32_C(1) << 31;
    float single;
    memcpy(&single, &bits, sizeof single);
    return (double)single;
}
