// The engine's snprintf (client/web/engine/print.c), compiled for this machine, against the C
// library's: numbers of every size in the formats that error texts use.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define vsnprintf engine_vsnprintf
#define snprintf  engine_snprintf
int engine_vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list given);
int engine_snprintf(char *restrict to, size_t size, const char *restrict format, ...);
#include "client/web/engine/print.c"
#undef vsnprintf
#undef snprintf

enum { NUMBERS = 20000, TEXT_BYTES = 64 };

static int differences;

static void compare(const char *format, const char *got, int got_size, const char *wanted,
                    int wanted_size)
{
    if (got_size != wanted_size || strcmp(got, wanted) != 0) {
        differences++;
        printf("%s: '%s', wanted '%s'\n", format, got, wanted);
    }
}

#define COMPARE(size, format, ...)                                                                 \
    do {                                                                                           \
        char got[TEXT_BYTES], wanted[TEXT_BYTES];                                                  \
        const int got_size = engine_snprintf(got, size, format, __VA_ARGS__);                      \
        compare(format, got, got_size, wanted, snprintf(wanted, size, format, __VA_ARGS__));       \
    } while (false)

static void compare_double(double value)
{
    COMPARE(TEXT_BYTES, "%g", value);
    COMPARE(TEXT_BYTES, "%.16g", value);
    COMPARE(TEXT_BYTES, "%.17g", value);
    COMPARE(TEXT_BYTES, "%.3g", value);
    COMPARE(TEXT_BYTES, "%12g|", value);
    COMPARE(TEXT_BYTES, "%-12.5g|", value);
    COMPARE(TEXT_BYTES, "%010.4g", value);
}

static double number(uint64_t *random, int i)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    const double small = (double)(int64_t)(*random % 2000001) - 1000000.0;
    double value;
    memcpy(&value, random, sizeof value);
    return i % 3 == 0 && value == value ? value : i % 3 == 1 ? small / 1000.0 : small / 64.0;
}

int main(void)
{
    static const double EDGES[] = {
        0.0,    -0.0,  1.0,   10.0,   999999.5, 1e6,       9.9999995,  1e-4,
        1e-5,   0.5,   2.5,   0.15,   5e-324,   1e22,      1e23,       1.7976931348623157e308,
        -1e300, 1e-99, 1e100, 1e-100, HUGE_VAL, -HUGE_VAL, 123456789.0};
    for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++) {
        compare_double(EDGES[i]);
    }
    uint64_t random = 88172645463325252U;
    for (int i = 0; i < NUMBERS; i++) {
        compare_double(number(&random, i));
    }
    COMPARE(TEXT_BYTES, "%s|%5d|%-5d|%05d|%d", "text", -42, -42, -42, 7);
    COMPARE(TEXT_BYTES, "%.*s|%c|%%|%zu", 2, "abc", 'z', (size_t)7);
    COMPARE(TEXT_BYTES, "%llu|%lld|%016llx", ~0ULL, -9223372036854775807LL - 1, 0xABCULL);
    const volatile size_t small = 8; // not known to the compiler, which would warn
    COMPARE(small, "%s: %u", "a text that is cut", 5u);
    printf("%d differences\n", differences);
    return differences != 0;
}
