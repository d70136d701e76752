// The optimal string alignment distance (Damerau-Levenshtein without overlapping edits), by three
// rows of its table: words have 32 bytes at most, so each comparison is bounded and allocates
// nothing.
#include "common/base/suggest.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A' + 'a') : (unsigned)(unsigned char)c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned suggest_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    if (a_size > SUGGEST_WORD_BYTES_MAX || b_size > SUGGEST_WORD_BYTES_MAX) {
        return UINT_MAX;
    }
    unsigned rows[3][SUGGEST_WORD_BYTES_MAX + 1];
    for (unsigned j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (unsigned i = 1; i <= a_size; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *up = rows[(i + 2) % 3];
        const unsigned *up2 = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_size; j++) {
            unsigned differs = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = least(least(up[j] + 1, row[j - 1] + 1), up[j - 1] + differs);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = least(row[j], up2[j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

void suggest_begin(suggestion *s, const char *given, size_t size)
{
    *s = (suggestion){.given = given, .given_size = size};
}

void suggest_offer(suggestion *s, const char *word, size_t size)
{
    size_t longer = s->given_size > size ? s->given_size : size;
    unsigned distance = suggest_distance(s->given, s->given_size, word, size);
    bool near = s->given_size > 0 && distance <= longer / 3;
    if (near && (s->best == NULL || distance < s->distance)) {
        s->best = word;
        s->best_size = size;
        s->distance = distance;
    }
}

const char *suggest_text(const suggestion *s, char out[SUGGEST_TEXT_MAX])
{
    out[0] = '\0';
    if (s->best != NULL) {
        snprintf(out, SUGGEST_TEXT_MAX, "; did you mean '%.*s'?", (int)s->best_size, s->best);
    }
    return out;
}
