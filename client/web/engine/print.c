// snprintf and vsnprintf instead of wasi-libc's, which take 20 kB and import console functions.
// They support what the project's error texts use: flags 0 and -, width, precision, and the
// conversions d i u x c s g %; any other fails an assertion. Digits of %g are exact: a double is an
// integer times a power of two, and so an integer over a power of ten, which is written out in full
// and rounded half to even, as the C library does.
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"

enum {
    WORD = 1000000000, // base of a decimal's words: nine digits each
    WORD_DIGITS = 9,
    WORDS_MAX = 90, // enough for the 767 digits of the smallest double
    DIGITS_MAX = WORDS_MAX * WORD_DIGITS,
    PRECISION_MAX = 17, // enough digits to distinguish any two doubles
    NUMBER_BYTES = 40
};

typedef struct sink {
    char *to;
    size_t size; // with the final zero; output beyond it is only counted
    size_t used;
} sink;

typedef struct spec {
    bool zeros, left;
    int width, precision; // precision -1: none
    int longs;            // number of l modifiers; 2: 64 bits
} spec;

static void put(sink *s, char c)
{
    if (s->used + 1 < s->size) {
        s->to[s->used] = c;
    }
    s->used++;
}

static void put_padded(sink *s, const spec *f, const char *text, size_t size)
{
    const size_t width = f->width > 0 ? (size_t)f->width : 0;
    const bool sign = f->zeros && size > 0 && text[0] == '-';
    if (sign) {
        put(s, '-');
    }
    for (size_t i = size; !f->left && i < width; i++) {
        put(s, f->zeros ? '0' : ' ');
    }
    for (size_t i = sign; i < size; i++) {
        put(s, text[i]);
    }
    for (size_t i = size; f->left && i < width; i++) {
        put(s, ' ');
    }
}

static void put_integer(sink *s, const spec *f, uint64_t value, bool negative, unsigned base)
{
    char text[NUMBER_BYTES];
    size_t at = sizeof text;
    do {
        text[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    if (negative) {
        text[--at] = '-';
    }
    put_padded(s, f, text + at, sizeof text - at);
}

// ---- %g

typedef struct decimal {
    uint32_t words[WORDS_MAX]; // words of an integer, the lowest first
    int count;
} decimal;

static void decimal_multiply(decimal *d, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < d->count; i++) {
        carry += (uint64_t)d->words[i] * factor;
        d->words[i] = (uint32_t)(carry % WORD);
        carry /= WORD;
    }
    if (carry > 0) {
        ASSERT(d->count < WORDS_MAX);
        d->words[d->count++] = (uint32_t)carry;
    }
}

// Writes all digits of a positive finite number; *power is the power of ten of the first.
static int all_digits(double value, char digits[DIGITS_MAX], int *power)
{
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    exponent -= 53;
    decimal d = {.words = {(uint32_t)(mantissa % WORD), (uint32_t)(mantissa / WORD)}, .count = 2};
    for (int i = 0; i < exponent; i++) {
        decimal_multiply(&d, 2);
    }
    for (int i = 0; i > exponent; i--) {
        decimal_multiply(&d, 5);
    }
    int count = 0;
    for (int i = d.count - 1; i >= 0; i--) {
        for (uint32_t unit = WORD / 10; unit > 0; unit /= 10) {
            const char digit = (char)('0' + d.words[i] / unit % 10);
            if (count > 0 || digit != '0') {
                digits[count++] = digit;
            }
        }
    }
    *power = count - 1 + (exponent < 0 ? exponent : 0);
    return count;
}

// Rounds to `wanted` digits, half to even. Adds one to *power where 99 becomes 100.
static void round_digits(char *digits, int count, int wanted, int *power)
{
    if (count <= wanted) {
        memset(digits + count, '0', (size_t)(wanted - count));
        return;
    }
    bool up = digits[wanted] > '5';
    if (digits[wanted] == '5') {
        up = (digits[wanted - 1] - '0') % 2 == 1;
        for (int i = wanted + 1; i < count && !up; i++) {
            up = digits[i] != '0';
        }
    }
    int i = wanted;
    while (up && i > 0) {
        i--;
        up = digits[i] == '9';
        digits[i] = up ? '0' : (char)(digits[i] + 1);
    }
    if (up) {
        digits[0] = '1';
        ++*power;
    }
}

static size_t put_exponent(char *text, int power)
{
    const int size = power < 0 ? -power : power;
    size_t at = 0;
    text[at++] = 'e';
    text[at++] = power < 0 ? '-' : '+';
    if (size >= 100) {
        text[at++] = (char)('0' + size / 100);
    }
    text[at++] = (char)('0' + size / 10 % 10);
    text[at++] = (char)('0' + size % 10);
    return at;
}

// Writes the digits with the decimal point at `power`, without trailing zeros.
static size_t layout(const char *digits, int count, int power, int precision, char *text)
{
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    const bool scientific = power < -4 || power >= precision;
    const int whole = scientific ? 1 : power + 1; // digits before the point
    size_t at = 0;
    if (whole <= 0) {
        text[at++] = '0';
        text[at++] = '.';
        for (int i = whole; i < 0; i++) {
            text[at++] = '0';
        }
    }
    for (int i = 0; i < count || i < whole; i++) {
        if (i == whole && i > 0) {
            text[at++] = '.';
        }
        text[at++] = i < count ? digits[i] : '0';
    }
    return scientific ? at + put_exponent(text + at, power) : at;
}

static void put_double(sink *s, const spec *f, double value)
{
    // Static because it is a large part of the stack; one thread
    static char digits[DIGITS_MAX + PRECISION_MAX];
    char text[NUMBER_BYTES];
    size_t size = 0;
    spec padding = *f;
    int precision = f->precision < 0 ? 6 : f->precision == 0 ? 1 : f->precision;
    precision = precision > PRECISION_MAX ? PRECISION_MAX : precision;
    if (signbit(value) && !isnan(value)) {
        text[size++] = '-';
        value = -value;
    }
    if (isnan(value) || isinf(value)) {
        memcpy(text + size, isnan(value) ? "nan" : "inf", 3);
        size += 3;
        padding.zeros = false;
    } else if (value == 0.0) {
        text[size++] = '0';
    } else {
        int power;
        const int count = all_digits(value, digits, &power);
        round_digits(digits, count, precision, &power);
        size += layout(digits, precision, power, precision, text + size);
    }
    put_padded(s, &padding, text, size);
}

// ---- formats

static const char *read_spec(const char *at, spec *f, va_list *args)
{
    *f = (spec){.precision = -1};
    for (; *at == '0' || *at == '-'; at++) {
        f->zeros |= *at == '0';
        f->left |= *at == '-';
    }
    for (; *at >= '0' && *at <= '9'; at++) {
        f->width = f->width * 10 + (*at - '0');
    }
    if (*at == '.' && at[1] == '*') {
        f->precision = va_arg(*args, int);
        at += 2;
    } else if (*at == '.') {
        f->precision = 0;
        for (at++; *at >= '0' && *at <= '9'; at++) {
            f->precision = f->precision * 10 + (*at - '0');
        }
    }
    for (; *at == 'l' || *at == 'z' || *at == 'h' || *at == 'j'; at++) {
        f->longs += *at == 'l' ? 1 : *at == 'j' ? 2 : 0; // size_t and long have 32 bits
    }
    return at;
}

static void put_value(sink *s, const spec *f, char conversion, va_list *args)
{
    const bool wide = f->longs >= 2;
    switch (conversion) {
    case 'd':
    case 'i': {
        const int64_t value = wide ? va_arg(*args, long long) : va_arg(*args, int);
        put_integer(s, f, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, 10);
        break;
    }
    case 'u':
    case 'x':
        put_integer(s, f, wide ? va_arg(*args, unsigned long long) : va_arg(*args, unsigned), false,
                    conversion == 'x' ? 16 : 10);
        break;
    case 'c': {
        const char c = (char)va_arg(*args, int);
        put_padded(s, f, &c, 1);
        break;
    }
    case 's': {
        const char *text = va_arg(*args, const char *);
        put_padded(s, f, text,
                   f->precision < 0 ? strlen(text) : strnlen(text, (size_t)f->precision));
        break;
    }
    case 'g':
        put_double(s, f, va_arg(*args, double));
        break;
    default:
        ASSERT(conversion == '%');
        put(s, '%');
    }
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list given)
{
    sink s = {.to = to, .size = size};
    va_list args;
    va_copy(args, given);
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            put(&s, *at);
            continue;
        }
        spec f;
        at = read_spec(at + 1, &f, &args);
        put_value(&s, &f, *at, &args);
    }
    va_end(args);
    if (size > 0) {
        to[s.used < size ? s.used : size - 1] = '\0';
    }
    return (int)s.used;
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...)
{
    va_list args;
    va_start(args, format);
    const int used = vsnprintf(to, size, format, args);
    va_end(args);
    return used;
}
