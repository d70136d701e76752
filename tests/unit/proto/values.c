// See values.h.
#include "tests/unit/proto/values.h"

#include <string.h>

#define SAMPLE(name, ...)                                                                          \
    {                                                                                              \
        name, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})               \
    }

#define ZERO4  0, 0, 0, 0
#define ZERO16 ZERO4, ZERO4, ZERO4, ZERO4

static const sample SMALL[] = {
    SAMPLE("nil", 0xC0),
    SAMPLE("false", 0xC2),
    SAMPLE("true", 0xC3),
    SAMPLE("positive fixint 0", 0x00),
    SAMPLE("positive fixint 127", 0x7F),
    SAMPLE("negative fixint -1", 0xFF),
    SAMPLE("negative fixint -32", 0xE0),
    SAMPLE("uint 8", 0xCC, 0xC1),
    SAMPLE("uint 16", 0xCD, 0xC1, 0xC1),
    SAMPLE("uint 32", 0xCE, 0xC1, 0xC1, 0xC1, 0xC1),
    SAMPLE("uint 64", 0xCF, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1),
    SAMPLE("int 8", 0xD0, 0xC1),
    SAMPLE("int 16", 0xD1, 0xC1, 0xC1),
    SAMPLE("int 32", 0xD2, 0xC1, 0xC1, 0xC1, 0xC1),
    SAMPLE("int 64", 0xD3, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1),
    SAMPLE("float 32", 0xCA, 0x3F, 0xC0, 0x00, 0x00),
    SAMPLE("float 64", 0xCB, 0x3F, 0xF8, ZERO4, 0x00, 0x00),
    SAMPLE("fixstr empty", 0xA0),
    SAMPLE("fixstr", 0xA3, 'a', 'b', 'c'),
    SAMPLE("str 8 empty", 0xD9, 0x00),
    SAMPLE("str 8", 0xD9, 0x02, 'a', 'b'),
    SAMPLE("str 16 of one byte", 0xDA, 0x00, 0x01, 'a'),
    SAMPLE("str 32 of one byte", 0xDB, 0x00, 0x00, 0x00, 0x01, 'a'),
    SAMPLE("bin 8 empty", 0xC4, 0x00),
    SAMPLE("bin 8", 0xC4, 0x03, 0xC1, 0xDD, 0xFF),
    SAMPLE("bin 16", 0xC5, 0x00, 0x02, 0xC1, 0xDD),
    SAMPLE("bin 32", 0xC6, 0x00, 0x00, 0x00, 0x02, 0xC1, 0xDD),
    SAMPLE("fixext 1", 0xD4, 0x05, 0xC1),
    SAMPLE("fixext 2", 0xD5, 0x05, 0xC1, 0xC1),
    SAMPLE("fixext 4", 0xD6, 0x05, 0xC1, 0xC1, 0xC1, 0xC1),
    SAMPLE("fixext 8", 0xD7, 0x05, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1, 0xC1),
    SAMPLE("fixext 16", 0xD8, 0x05, ZERO16),
    SAMPLE("ext 8 empty", 0xC7, 0x00, 0x05),
    SAMPLE("ext 8", 0xC7, 0x03, 0x05, 0xC1, 0xC1, 0xC1),
    SAMPLE("ext 16", 0xC8, 0x00, 0x01, 0x05, 0xC1),
    SAMPLE("ext 32", 0xC9, 0x00, 0x00, 0x00, 0x01, 0x05, 0xC1),
    SAMPLE("fixarray empty", 0x90),
    SAMPLE("fixarray", 0x92, 0x01, 0xA1, 'a'),
    SAMPLE("array 16 empty", 0xDC, 0x00, 0x00),
    SAMPLE("array 16", 0xDC, 0x00, 0x02, 0x01, 0x90),
    SAMPLE("array 32 empty", 0xDD, ZERO4),
    SAMPLE("array 32", 0xDD, 0x00, 0x00, 0x00, 0x02, 0x91, 0x01, 0xC0),
    SAMPLE("fixmap empty", 0x80),
    SAMPLE("fixmap", 0x82, 0xA1, 'a', 0x01, 0xA1, 'b', 0x81, 0xA1, 'a', 0xC0),
    SAMPLE("map 16 empty", 0xDE, 0x00, 0x00),
    SAMPLE("map 16", 0xDE, 0x00, 0x01, 0xA1, 'a', 0x91, 0x02),
    SAMPLE("map 32 empty", 0xDF, ZERO4),
    SAMPLE("map 32", 0xDF, 0x00, 0x00, 0x00, 0x01, 0xC4, 0x01, 'a', 0x03),
};

enum { SMALL_COUNT = sizeof SMALL / sizeof *SMALL };

// The samples whose lengths fill more than one byte: head, and `body` bytes after it.
static const struct {
    const char *name;
    uint8_t head[5];
    uint32_t head_size;
    uint32_t body;
    uint8_t fill;
} LARGE[] = {
    {"str 8 of 255", {0xD9, 0xFF}, 2, 255, 'x'},
    {"str 16 of 300", {0xDA, 0x01, 0x2C}, 3, 300, 'x'},
    {"bin 16 of 300", {0xC5, 0x01, 0x2C}, 3, 300, 0xC1},
    {"ext 16 of 300", {0xC8, 0x01, 0x2C}, 3, 301, 0x01},
    {"array 16 of 300", {0xDC, 0x01, 0x2C}, 3, 300, 0x07},
    {"array 32 of 300", {0xDD, 0x00, 0x00, 0x01, 0x2C}, 5, 300, 0x07},
    {"str 32 of 66000", {0xDB, 0x00, 0x01, 0x01, 0xD0}, 5, 66000, 'x'},
    {"bin 32 of 66000", {0xC6, 0x00, 0x01, 0x01, 0xD0}, 5, 66000, 0xC1},
    {"ext 32 of 66000", {0xC9, 0x00, 0x01, 0x01, 0xD0}, 5, 66001, 0x01},
    {"array 32 of 66000", {0xDD, 0x00, 0x01, 0x01, 0xD0}, 5, 66000, 0xC0},
};

enum { LARGE_COUNT = sizeof LARGE / sizeof *LARGE };

const sample *samples(size_t *count)
{
    static sample all[SMALL_COUNT + LARGE_COUNT];
    static uint8_t bytes[LARGE_COUNT][5 + 66001];
    memcpy(all, SMALL, sizeof SMALL);
    for (size_t i = 0; i < LARGE_COUNT; i++) {
        memcpy(bytes[i], LARGE[i].head, LARGE[i].head_size);
        memset(bytes[i] + LARGE[i].head_size, LARGE[i].fill, LARGE[i].body);
        all[SMALL_COUNT + i] =
            (sample){LARGE[i].name, bytes[i], LARGE[i].head_size + LARGE[i].body};
    }
    *count = SMALL_COUNT + LARGE_COUNT;
    return all;
}

uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DU;
}
