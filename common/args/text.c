// See text.h. strtod reads only text already checked to be a plain decimal number, so it never sees
// notations of the locale or of C99 (hexadecimal, inf, nan).
#include "common/args/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/suggest.h"

enum {
    NUMBER_MAX = 63,
    LIST_JOIN_BYTES = 6, // ", " or " and " and the zero
    LIST_MORE_BYTES = 32 // " and 123 more"
};

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

// The end of the decimal number at the start of `text`, or NULL when there is none.
static const char *number_end(const char *text)
{
    const char *at = text;
    if (*at == '-' || *at == '+') {
        at++;
    }
    const char *digits = at;
    at = skip_digits(at);
    size_t count = (size_t)(at - digits);
    if (*at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at);
        count += (size_t)(at - fraction);
    }
    if (count == 0) {
        return NULL;
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1;
        if (*exponent == '-' || *exponent == '+') {
            exponent++;
        }
        const char *end = skip_digits(exponent);
        if (end > exponent) {
            at = end;
        }
    }
    return at;
}

// The value of the number that ends before `end`. It is copied first: strtod would read all of
// "0x5".
static bool number_value(const char *text, const char *end, double *out)
{
    char copy[NUMBER_MAX + 1];
    size_t size = (size_t)(end - text);
    if (size > NUMBER_MAX) {
        return false;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    double value = strtod(copy, NULL);
    if (!isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

// Reads a number that `stop` follows, and moves past both.
static bool read_number(const char **at, char stop, double *out)
{
    const char *end = number_end(*at);
    double value = 0.0;
    if (end == NULL || *end != stop || !number_value(*at, end, &value)) {
        return false;
    }
    *out = value;
    *at = stop == '\0' ? end : end + 1;
    return true;
}

bool text_to_number(const char *text, double *out)
{
    return read_number(&text, '\0', out);
}

bool text_to_whole(const char *text, uint64_t *out)
{
    const char *end = skip_digits(text);
    if (end == text || *end != '\0' || end - text > 16) {
        return false;
    }
    unsigned long long value = strtoull(text, NULL, 10);
    if (value > 1ull << 53) {
        return false;
    }
    *out = value;
    return true;
}

bool text_to_numbers(const char *text, int count, double *out)
{
    double values[4];
    if (count < 1 || count > 4) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!read_number(&text, i + 1 < count ? ',' : '\0', &values[i])) {
            return false;
        }
    }
    memcpy(out, values, (size_t)count * sizeof *out);
    return true;
}

bool text_to_size(const char *text, double out[2])
{
    double width = 0.0;
    double height = 0.0;
    if (!read_number(&text, 'x', &width) || !read_number(&text, '\0', &height) || width <= 0.0 ||
        height <= 0.0) {
        return false;
    }
    out[0] = width;
    out[1] = height;
    return true;
}

bool text_to_seconds(const char *text, double *out)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1.0},   {"s", 1.0},    {"ms", 1e-3}, {"us", 1e-6},
                 {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}};
    const char *end = number_end(text);
    double number = 0.0;
    if (end == NULL || !number_value(text, end, &number)) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double value = number * units[i].seconds;
        if (strcmp(end, units[i].unit) == 0 && isfinite(value) && value >= 0.0) {
            *out = value;
            return true;
        }
    }
    return false;
}

// The index of the nearest word, `count` when none is near enough.
static size_t find_nearest(const char *word, const char *const *words, size_t count)
{
    size_t length = strlen(word);
    unsigned nearest = 1 + (length < 3 ? 0u : length < 6 ? 1u : length < 10 ? 2u : 3u);
    size_t found = count;
    for (size_t i = 0; i < count; i++) {
        unsigned distance = suggest_distance(word, length, words[i], strlen(words[i]));
        if (distance < nearest && distance < length) {
            nearest = distance;
            found = i;
        }
    }
    return found;
}

// The index of the first word with this beginning, `count` if there is none. A beginning of two
// letters must be unique.
static size_t find_beginning(const char *word, const char *const *words, size_t count)
{
    size_t length = strlen(word);
    size_t found = count;
    for (size_t i = 0; length >= 2 && i < count; i++) {
        if (strncasecmp(word, words[i], length) == 0) {
            if (found < count) {
                return length == 2 ? count : found;
            }
            found = i;
        }
    }
    return found;
}

const char *text_suggest(const char *word, const char *const *words, size_t count)
{
    size_t found = find_nearest(word, words, count);
    if (found == count) {
        found = find_beginning(word, words, count);
    }
    return found < count ? words[found] : NULL;
}

// The number of words that fit into `size` bytes, with space for the number of those left out.
static size_t count_fitting(const char *const *words, size_t count, size_t size)
{
    size_t used = 0;
    size_t fitting = 0; // the number of words that leave room for the count of the others
    for (size_t i = 0; i < count; i++) {
        used += strlen(words[i]) + LIST_JOIN_BYTES;
        if (used > size) {
            return fitting;
        }
        fitting = used + LIST_MORE_BYTES <= size ? i + 1 : fitting;
    }
    return count;
}

void text_list(const char *const *words, size_t count, const char *last, char *out, size_t size)
{
    size_t shown = count_fitting(words, count, size);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < shown; i++) {
        bool ends = shown == count && i + 1 == count;
        const char *join = i == 0 ? "" : ends ? " " : ", ";
        int more = snprintf(out + used, size - used, "%s%s%s%s", join, i > 0 && ends ? last : "",
                            i > 0 && ends ? " " : "", words[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    if (shown < count && used + LIST_MORE_BYTES <= size) {
        (void)snprintf(out + used, size - used, "%s%zu more", shown > 0 ? " and " : "",
                       count - shown);
    }
}

uint32_t text_next(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    if (s[0] == 0) {
        return 0;
    }
    unsigned more = s[0] < 0x80   ? 0
                    : s[0] < 0xc2 ? 4
                    : s[0] < 0xe0 ? 1
                    : s[0] < 0xf0 ? 2
                    : s[0] < 0xf5 ? 3
                                  : 4;
    uint32_t character = more == 0 ? s[0] : s[0] & (0x3fu >> more);
    for (unsigned i = 1; more < 4 && i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            more = 4;
            break;
        }
        character = character << 6 | (s[i] & 0x3fu);
    }
    bool overlong = (more == 2 && character < 0x800) || (more == 3 && character < 0x10000);
    bool no_character = character > 0x10ffff || (character >= 0xd800 && character < 0xe000);
    if (more == 4 || overlong || no_character) {
        *at += 1;
        return 0xfffd;
    }
    *at += more + 1;
    return character;
}

bool text_acts(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x206f);
}

void text_tame(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0';) {
        const char *begin = at;
        uint32_t c = text_next(&at);
        if (text_acts(c)) {
            *to++ = '?';
            continue;
        }
        while (begin < at) {
            *to++ = *begin++;
        }
    }
    *to = '\0';
}

size_t text_encode(uint32_t character, char out[5])
{
    size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    out[0] = (char)(heads[size] | character);
    out[size] = '\0';
    return size;
}

static bool is_mark(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x300 && c < 0x370) ||
           (c >= 0x200b && c <= 0x200f) || (c >= 0x20d0 && c < 0x2100) ||
           (c >= 0xfe00 && c <= 0xfe0f);
}

static bool is_wide(uint32_t c)
{
    return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
           (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
           (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
           (c >= 0x1f300 && c < 0x1faff) || (c >= 0x20000 && c < 0x3fffe);
}

size_t text_columns(const char *text)
{
    size_t columns = 0;
    for (uint32_t c = text_next(&text); c != 0; c = text_next(&text)) {
        columns += is_mark(c) ? 0 : is_wide(c) ? 2 : 1;
    }
    return columns;
}

// The decimals for three significant figures: 1.23, 12.3, 123.
static int decimals_for(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

void text_from_seconds(double seconds, char *out, size_t size)
{
    double value = seconds;
    const char *unit = "s";
    if (seconds < 1e-3) {
        value = seconds * 1e6;
        unit = "us";
    } else if (seconds < 1.0) {
        value = seconds * 1e3;
        unit = "ms";
    }
    (void)snprintf(out, size, "%.*f %s", decimals_for(value), value, unit);
}

void text_from_duration(double seconds, char *out, size_t size)
{
    double whole = floor(seconds + 0.5);
    if (seconds < 59.95) {
        (void)snprintf(out, size, "%.1f s", seconds);
    } else if (whole < 3600.0) {
        (void)snprintf(out, size, "%.0f min %02.0f s", floor(whole / 60.0), fmod(whole, 60.0));
    } else if (whole < 86400.0) {
        (void)snprintf(out, size, "%.0f h %02.0f min", floor(whole / 3600.0),
                       floor(fmod(whole, 3600.0) / 60.0));
    } else {
        (void)snprintf(out, size, "%.0f d %02.0f h", floor(whole / 86400.0),
                       floor(fmod(whole, 86400.0) / 3600.0));
    }
}

void text_from_bytes(double bytes, char *out, size_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1000.0;
        unit++;
    }
    (void)snprintf(out, size, "%.*f %s", unit == 0 ? 0 : decimals_for(bytes), bytes, units[unit]);
}

void text_print_help(FILE *out, const char *head, size_t indent, const char *text)
{
    size_t column = text_columns(head);
    const size_t gap = column < indent ? indent - column : 1;
    (void)fprintf(out, "%s%*s", head, (int)gap, "");
    column += gap;
    for (bool first = true; *text != '\0'; first = false) {
        const size_t size = strcspn(text, " ");
        if (!first && column + 1 + size > TEXT_HELP_COLUMNS) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            (void)fputc(' ', out);
            column++;
        }
        (void)fprintf(out, "%.*s", (int)size, text);
        column += size;
        text += size + (text[size] == ' ');
    }
    (void)fputc('\n', out);
}
