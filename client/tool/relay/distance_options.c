// See distance_options.h.
#include "client/tool/relay/distance_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/args/text.h"

#define RESEND_SECONDS 0.01 // resending a lost segment takes at least this beyond a round trip

enum { WORD_BYTES_MAX = 64, NAMES = 5 };

static const char *const names[NAMES] = {"delay", "jitter", "stall", "stall-time", "seed"};

// "1%", "0.01".
static bool read_share(const char *text, double *out)
{
    size_t length = strlen(text);
    char number[WORD_BYTES_MAX];
    bool percent = length > 0 && text[length - 1] == '%';
    if (length == 0 || length >= sizeof number) {
        return false;
    }
    (void)snprintf(number, sizeof number, "%.*s", (int)(percent ? length - 1 : length), text);
    if (!text_to_number(number, out)) {
        return false;
    }
    *out = percent ? *out / 100.0 : *out;
    return *out >= 0.0 && *out <= 1.0;
}

// Reads a time within the range; `otherwise` is its value when it is not given.
static bool read_time(double *out, const char *text, double otherwise, double most,
                      const char *dashes, const char *name, char error[DISTANCE_ERROR_MAX])
{
    *out = otherwise;
    if (text != NULL && !text_to_seconds(text, out)) {
        (void)snprintf(error, DISTANCE_ERROR_MAX,
                       "%s%s takes a time such as 5, 250ms or 2m, not '%.100s'", dashes, name,
                       text);
        return false;
    }
    if (*out > most) {
        (void)snprintf(error, DISTANCE_ERROR_MAX, "%s%s is at most %.0fs", dashes, name, most);
        return false;
    }
    return true;
}

bool distance_options_read(distance_options *out, distance_value *value, const void *context,
                           const char *dashes, char error[DISTANCE_ERROR_MAX])
{
    const char *stall = value(context, "stall");
    const char *seed = value(context, "seed");
    *out = (distance_options){.seed = 1};
    if (!read_time(&out->delay, value(context, "delay"), 0.0, DISTANCE_SECONDS_MAX, dashes, "delay",
                   error) ||
        !read_time(&out->jitter, value(context, "jitter"), 0.0, DISTANCE_SECONDS_MAX, dashes,
                   "jitter", error) ||
        !read_time(&out->stall_time, value(context, "stall-time"),
                   2.0 * out->delay + RESEND_SECONDS, DISTANCE_STALL_MAX, dashes, "stall-time",
                   error)) {
        return false;
    }
    if (out->jitter > out->delay) {
        (void)snprintf(error, DISTANCE_ERROR_MAX,
                       "%sjitter is at most %sdelay: nothing arrives before it was sent", dashes,
                       dashes);
        return false;
    }
    if (stall != NULL && !read_share(stall, &out->stall)) {
        (void)snprintf(error, DISTANCE_ERROR_MAX,
                       "%sstall is a share of the segments, such as 1%% or 0.01, and not '%.100s'",
                       dashes, stall);
        return false;
    }
    if (seed != NULL && !text_to_whole(seed, &out->seed)) {
        (void)snprintf(error, DISTANCE_ERROR_MAX,
                       "%sseed takes a whole number up to " TEXT_WHOLE_MAX
                       " such as 3, not '%.100s'",
                       dashes, seed);
        return false;
    }
    return true;
}

// ---- all in one text

typedef struct words {
    char values[NAMES][WORD_BYTES_MAX];
    bool given[NAMES];
} words;

static const char *value_of(const void *context, const char *name)
{
    const words *w = context;
    for (int i = 0; i < NAMES; i++) {
        if (strcmp(names[i], name) == 0) {
            return w->given[i] ? w->values[i] : NULL;
        }
    }
    return NULL;
}

// Stores one NAME=VALUE, the `size` bytes at `part`.
static bool store(words *w, const char *part, size_t size)
{
    for (int i = 0; i < NAMES; i++) {
        size_t length = strlen(names[i]);
        if (size > length && strncmp(part, names[i], length) == 0 && part[length] == '=' &&
            size - length <= sizeof w->values[i]) {
            (void)snprintf(w->values[i], sizeof w->values[i], "%.*s", (int)(size - length - 1),
                           part + length + 1);
            w->given[i] = true;
            return true;
        }
    }
    return false;
}

bool distance_options_parse(distance_options *out, const char *text, char error[DISTANCE_ERROR_MAX])
{
    words w = {.given = {false}};
    for (const char *part = text;; part++) {
        size_t size = strcspn(part, ",");
        if (!store(&w, part, size)) {
            (void)snprintf(error, DISTANCE_ERROR_MAX,
                           "'%.*s': expected NAME=VALUE of delay, jitter, stall, stall-time and "
                           "seed: delay=50ms,jitter=10ms,stall=1%%",
                           size < 100 ? (int)size : 100, part);
            return false;
        }
        part += size;
        if (*part == '\0') {
            break;
        }
    }
    return distance_options_read(out, value_of, &w, "", error);
}

void distance_options_describe(const distance_options *o, char *out, size_t size)
{
    char jitter[WORD_BYTES_MAX] = "";
    char stall[2 * WORD_BYTES_MAX] = "";
    if (o->jitter > 0.0) {
        (void)snprintf(jitter, sizeof jitter, ", give or take %g ms", o->jitter * 1e3);
    }
    if (o->stall > 0.0) {
        (void)snprintf(stall, sizeof stall,
                       "; %g %% of segments are lost for %g ms (seed %" PRIu64 ")",
                       o->stall * 100.0, o->stall_time * 1e3, o->seed);
    }
    (void)snprintf(out, size, "%g ms away%s%s", o->delay * 1e3, jitter, stall);
}
