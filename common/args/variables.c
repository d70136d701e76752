// See variables.h.
#include "common/args/variables.h"

#include <string.h>

#include "common/base/suggest.h"

static const char PREFIX[] = "CAROM_";
enum { PREFIX_BYTES = sizeof PREFIX - 1 };

// Variables of carom's programs, scripts, tests and containers, beside those of the settings of
// one of them.
static const char *const OTHERS[] = {
    "CAROM_CA",       "CAROM_HOST",    "CAROM_KILLS",      "CAROM_NODE",  "CAROM_PAGES",
    "CAROM_PORT",     "CAROM_PROFILE", "CAROM_SEARCH",     "CAROM_SEED",  "CAROM_SERVER",
    "CAROM_SERVICE",  "CAROM_SHOTS",   "CAROM_SIMD",       "CAROM_TESTS", "CAROM_TIMEOUT",
    "CAROM_TLS_NAME", "CAROM_TOKEN",   "CAROM_TOKEN_FILE",
};

static bool is_known(const char *name, const char *const *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(known[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool variables_misspelt(const char *entry, const char *const *known, size_t count,
                        char name[VARIABLES_NAME_MAX], const char **meant)
{
    const size_t size = strcspn(entry, "=");
    suggestion near;
    if (size <= PREFIX_BYTES || size >= VARIABLES_NAME_MAX ||
        memcmp(entry, PREFIX, PREFIX_BYTES) != 0) {
        return false;
    }
    memcpy(name, entry, size);
    name[size] = '\0';
    if (is_known(name, known, count) || is_known(name, OTHERS, sizeof OTHERS / sizeof *OTHERS)) {
        return false;
    }
    // without the prefix, which all share
    suggest_begin(&near, name + PREFIX_BYTES, size - PREFIX_BYTES);
    for (size_t i = 0; i < count; i++) {
        suggest_offer(&near, known[i] + PREFIX_BYTES, strlen(known[i]) - PREFIX_BYTES);
    }
    if (near.best != NULL) {
        *meant = near.best - PREFIX_BYTES;
    }
    return near.best != NULL;
}
