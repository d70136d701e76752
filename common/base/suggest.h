// "Did you mean": the known word that is most similar to an unknown one. Pure; any thread.
#ifndef CAROM_COMMON_BASE_SUGGEST_H
#define CAROM_COMMON_BASE_SUGGEST_H

#include <stddef.h>

enum {
    SUGGEST_WORD_BYTES_MAX = 32, // longer words, given or known, are not compared
    SUGGEST_TEXT_MAX = 64        // bytes of the hint with its closing zero
};

// The insertions, deletions, replacements and swaps of neighbours that lead from one word to the
// other; upper and lower case count as equal. UINT_MAX if one is over SUGGEST_WORD_BYTES_MAX.
unsigned suggest_distance(const char *a, size_t a_size, const char *b, size_t b_size);

// A search among known words. suggest_begin() it, offer each known word, then read the hint.
typedef struct suggestion {
    const char *given;
    size_t given_size;
    const char *best; // NULL: nothing is near enough yet
    size_t best_size;
    unsigned distance; // suggest_distance() to `best`
} suggestion;

// `given` (not zero-terminated) must outlive the search, and so must each word.
void suggest_begin(suggestion *s, const char *given, size_t size);
// Upper and lower case count as equal. At most one slip in three characters is near enough; of
// equally near words the first offered stays.
void suggest_offer(suggestion *s, const char *word, size_t size);
// "; did you mean 'radius'?", or "" if no word is near enough. Returns `out`.
const char *suggest_text(const suggestion *s, char out[SUGGEST_TEXT_MAX]);

#endif
