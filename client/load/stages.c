// See stages.h. Pure, any thread.
#include "client/load/stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/args/text.h"

enum { STAGE_BYTES = 64 };

#define STAGE_SECONDS_MAX 86400.0

static bool refuse(char error[LOAD_STAGES_ERROR_MAX], size_t number, const char *stage,
                   const char *why)
{
    (void)snprintf(error, LOAD_STAGES_ERROR_MAX, "stage %zu, '%s': %s", number, stage, why);
    return false;
}

static bool parse_one(load_stage *out, const char *stage, size_t number, unsigned clients_max,
                      char error[LOAD_STAGES_ERROR_MAX])
{
    char length[STAGE_BYTES];
    const char *colon = strchr(stage, ':');
    uint64_t clients = 0;
    if (colon == NULL) {
        return refuse(error, number, stage,
                      "expected TIME:CLIENTS, as in 30s:100 (a time is 5s, 250ms, 2m or 1h)");
    }
    (void)snprintf(length, sizeof length, "%.*s", (int)(colon - stage), stage);
    if (!text_to_seconds(length, &out->seconds) || out->seconds > STAGE_SECONDS_MAX) {
        return refuse(error, number, stage,
                      "expected a time before the colon: 5s, 250ms, 2m or 1h, at most 24h");
    }
    if (!text_to_whole(colon + 1, &clients) || clients > clients_max) {
        char why[80];
        (void)snprintf(why, sizeof why, "expected clients after the colon, from 0 to %u",
                       clients_max);
        return refuse(error, number, stage, why);
    }
    out->clients = (unsigned)clients;
    return true;
}

bool load_stages_parse(load_stages *stages, const char *text, unsigned clients_max,
                       char error[LOAD_STAGES_ERROR_MAX])
{
    for (const char *at = text;; at++) {
        char stage[STAGE_BYTES];
        size_t size = strcspn(at, ",");
        (void)snprintf(stage, sizeof stage, "%.*s", (int)(size < STAGE_BYTES ? size : STAGE_BYTES),
                       at);
        if (stages->count == LOAD_STAGES_MAX) {
            (void)snprintf(error, LOAD_STAGES_ERROR_MAX, "at most %d stages", LOAD_STAGES_MAX);
            return false;
        }
        if (!parse_one(&stages->list[stages->count], stage, stages->count + 1, clients_max,
                       error)) {
            return false;
        }
        stages->count++;
        at += size;
        if (*at == '\0') {
            return true;
        }
    }
}

double load_stages_seconds(const load_stages *stages)
{
    double sum = 0.0;
    for (size_t i = 0; i < stages->count; i++) {
        sum += stages->list[i].seconds;
    }
    return sum;
}

unsigned load_stages_peak(const load_stages *stages)
{
    unsigned peak = 0;
    for (size_t i = 0; i < stages->count; i++) {
        peak = stages->list[i].clients > peak ? stages->list[i].clients : peak;
    }
    return peak;
}

unsigned load_stages_at(const load_stages *stages, double seconds)
{
    double from = 0.0;
    for (size_t i = 0; i < stages->count; i++) {
        const load_stage *stage = &stages->list[i];
        if (seconds < stage->seconds) {
            double share = seconds > 0.0 ? seconds / stage->seconds : 0.0;
            return (unsigned)(from + ((double)stage->clients - from) * share + 0.5);
        }
        seconds -= stage->seconds;
        from = (double)stage->clients;
    }
    return (unsigned)from;
}
