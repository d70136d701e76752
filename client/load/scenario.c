// See scenario.h. This file: the scenario and its kinds of clients; their actions are in
// scenario_action.c. Pure; one thread.
#include "client/load/scenario_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <carom/json.h>

#include "common/args/text.h"

enum { LIST_BYTES = 400, OPEN_WINDOW = 256 };

#define SHARE_MAX 1e6
#define SEED_MAX  9007199254740992.0

// ---- helpers of all parts

bool scenario_fail(scenario_reader *r, const char *path, const char *format, ...)
{
    int used = snprintf(r->error, SCENARIO_ERROR_MAX, "%s: ", path);
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(r->error + used, SCENARIO_ERROR_MAX - (size_t)used, format, rest);
    va_end(rest);
    return false;
}

void scenario_place(char out[SCENARIO_PATH_BYTES], const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    (void)vsnprintf(out, SCENARIO_PATH_BYTES, format, rest);
    va_end(rest);
}

bool scenario_variable(scenario_reader *r, const char *path, const char *name)
{
    carom_error why = {0};
    uint64_t random = 0;
    double value = 0.0;
    carom_variable probe = {name, 0.0};
    return carom_expression_evaluate("0", 1, &probe, 1, &random, &value, &why) == CAROM_OK ||
           scenario_fail(r, path, "%s", why.text);
}

bool scenario_keys(scenario_reader *r, const carom_value *map, const char *path,
                   const char *const *keys, size_t count)
{
    char list[LIST_BYTES];
    text_list(keys, count, "and", list, sizeof list);
    if (carom_value_type(map) != CAROM_MAP) {
        return scenario_fail(r, path, "expected a map with some of %s", list);
    }
    for (size_t i = 0; i < carom_value_count(map); i++) {
        const char *key = carom_value_key(map, i, NULL);
        bool known = false;
        for (size_t k = 0; k < count; k++) {
            known = known || strcmp(key, keys[k]) == 0;
        }
        if (!known) {
            const char *meant = text_suggest(key, keys, count);
            return scenario_fail(r, path, "there is no '%.60s'%s%s%s here; allowed are %s", key,
                                 meant != NULL ? " (did you mean '" : "",
                                 meant != NULL ? meant : "", meant != NULL ? "'?)" : "", list);
        }
    }
    return true;
}

// Reads a number that is computed from constants only: no client exists before the run.
static bool read_scalar(scenario_reader *r, const carom_value *value, const char *path,
                        const char *expected, double least, double most, double *out)
{
    char why[FILL_ERROR_MAX] = "";
    fill_scope scope = {.client = &r->client};
    memcpy(scope.variables, r->plan->constants, sizeof r->plan->constants);
    scope.count = r->plan->constant_count;
    double number = 0.0;
    if (!fill_number(&scope, value, &number, why)) {
        return scenario_fail(r, path, "%s, %s", why + 2, expected);
    }
    if (!(number >= least && number <= most)) {
        return scenario_fail(r, path, "%s, not %g", expected, number);
    }
    *out = number;
    return true;
}

bool scenario_number(scenario_reader *r, const carom_value *map, const char *path, const char *key,
                     double least, double most, double *out)
{
    const carom_value *value = carom_value_get(map, key);
    char place[SCENARIO_PATH_BYTES];
    char expected[80];
    scenario_place(place, "%s%s%s", path, path[0] != '\0' ? "." : "", key);
    (void)snprintf(expected, sizeof expected, "expected a number from %.15g to %.15g", least, most);
    return value == NULL || read_scalar(r, value, place, expected, least, most, out);
}

bool scenario_whole(scenario_reader *r, const carom_value *map, const char *path, const char *key,
                    unsigned least, unsigned most, unsigned *out)
{
    double number = *out;
    if (!scenario_number(r, map, path, key, least, most, &number)) {
        return false;
    }
    if (number != floor(number)) {
        char place[SCENARIO_PATH_BYTES];
        scenario_place(place, "%s.%s", path, key);
        return scenario_fail(r, place, "expected a whole number from %u to %u, not %g", least, most,
                             number);
    }
    *out = (unsigned)number;
    return true;
}

bool scenario_pause(scenario_reader *r, const carom_value *value, const char *path, double out[2])
{
    static const char expected[] =
        "expected seconds from 0 to 3600, or two of them, the first not above the second";
    bool pair = carom_value_type(value) == CAROM_ARRAY;
    if (pair && carom_value_count(value) != 2) {
        return scenario_fail(r, path, "%s", expected);
    }
    for (size_t i = 0; i < 2; i++) {
        const carom_value *one = pair ? carom_value_at(value, i) : value;
        if (!read_scalar(r, one, path, expected, 0.0, LOAD_PAUSE_MAX_S, &out[i])) {
            return false;
        }
    }
    return out[0] <= out[1] || scenario_fail(r, path, "%s", expected);
}

// Reads one of the words; *out is unchanged when the key is missing.
static bool read_word(scenario_reader *r, const carom_value *map, const char *path, const char *key,
                      const char *const *words, size_t count, int *out)
{
    const carom_value *value = carom_value_get(map, key);
    const char *word = carom_as_str(value, "");
    char place[SCENARIO_PATH_BYTES];
    char list[LIST_BYTES];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            *out = (int)i;
            return true;
        }
    }
    scenario_place(place, "%s.%s", path, key);
    text_list(words, count, "or", list, sizeof list);
    return value == NULL || scenario_fail(r, place, "expected %s", list);
}

static bool read_name(scenario_reader *r, const carom_value *map, const char *path,
                      char out[LOAD_NAME_BYTES])
{
    const carom_value *value = carom_value_get(map, "name");
    const char *name = carom_as_str(value, NULL);
    char place[SCENARIO_PATH_BYTES];
    scenario_place(place, "%s%sname", path, path[0] != '\0' ? "." : "");
    if (value != NULL && (name == NULL || name[0] == '\0' || strlen(name) >= LOAD_NAME_BYTES)) {
        return scenario_fail(r, place, "expected a text of 1 to %d bytes", LOAD_NAME_BYTES - 1);
    }
    if (name != NULL) {
        (void)snprintf(out, LOAD_NAME_BYTES, "%s", name);
    }
    return true;
}

// ---- kinds of clients

static bool read_subscription(scenario_reader *r, const carom_value *map, const char *path,
                              load_behaviour *out)
{
    const carom_value *value = carom_value_get(map, "subscribe");
    char place[SCENARIO_PATH_BYTES];
    scenario_place(place, "%s.subscribe", path);
    out->subscribes =
        value == NULL || carom_value_type(value) == CAROM_MAP || carom_as_bool(value, false);
    out->subscription = carom_subscribe_options_default();
    out->subscription.encoding = "packed";
    if (value == NULL || carom_value_type(value) == CAROM_BOOL) {
        return true;
    }
    if (carom_value_type(value) != CAROM_MAP) {
        return scenario_fail(
            r, place,
            "expected true, false, or arguments of world.subscribe: {\"encoding\": "
            "\"packed\", \"rate\": 30}");
    }
    out->subscribe = carom_value_clone(value);
    return scenario_arguments(r, "world.subscribe", value, NULL, out, place);
}

static bool read_body(scenario_reader *r, const carom_value *map, const char *path,
                      load_behaviour *out)
{
    const carom_value *value = carom_value_get(map, "body");
    char place[SCENARIO_PATH_BYTES];
    scenario_place(place, "%s.body", path);
    bool given = value != NULL && carom_value_type(value) != CAROM_BOOL;
    if (given && carom_value_type(value) != CAROM_MAP) {
        return scenario_fail(r, place, "expected true (a ball), false, or arguments of body.spawn");
    }
    if (given && !scenario_arguments(r, "body.spawn", value, NULL, out, place)) {
        return false;
    }
    out->body = given ? carom_value_clone(value) : NULL;
    out->own_body = given || carom_as_bool(value, false);
    return true;
}

// Reads when a client begins its actions: exactly one of rate, pause and window must be given.
static bool read_beat(scenario_reader *r, const carom_value *map, const char *path,
                      load_behaviour *out)
{
    static const char *const arrivals[] = {"even", "random"};
    const carom_value *pause = carom_value_get(map, "pause");
    bool rate = carom_value_get(map, "rate") != NULL;
    bool window = carom_value_get(map, "window") != NULL;
    int arrival = 0;
    char place[SCENARIO_PATH_BYTES];
    scenario_place(place, "%s.pause", path);
    if ((rate && (pause != NULL || window)) || (pause != NULL && window) ||
        (!rate && pause == NULL && !window)) {
        return scenario_fail(r, path,
                             "give exactly one of rate (actions a second), pause (after the "
                             "answers) and window (calls in flight), for when actions begin");
    }
    if (carom_value_get(map, "arrivals") != NULL && !rate) {
        return scenario_fail(r, path, "arrivals is allowed only with rate");
    }
    out->burst = 1;
    out->window = OPEN_WINDOW;
    out->beat = rate ? LOAD_EVENLY : pause != NULL ? LOAD_AFTER_PAUSE : LOAD_BY_WINDOW;
    if (!scenario_number(r, map, path, "rate", LOAD_RATE_MIN, LOAD_RATE_MAX, &out->rate) ||
        !scenario_whole(r, map, path, "window", 1, LOAD_WINDOW_MAX, &out->window) ||
        !scenario_whole(r, map, path, "burst", 1, LOAD_BURST_MAX, &out->burst) ||
        !read_word(r, map, path, "arrivals", arrivals, 2, &arrival) ||
        (pause != NULL && !scenario_pause(r, pause, place, out->pause))) {
        return false;
    }
    out->beat = arrival == 1 ? LOAD_AT_RANDOM : out->beat;
    // A burst is sent as a whole.
    out->window =
        out->beat != LOAD_BY_WINDOW && out->window < out->burst ? LOAD_WINDOW_MAX : out->window;
    return true;
}

static bool read_doing(scenario_reader *r, const carom_value *map, const char *path,
                       load_behaviour *out)
{
    static const char *const orders[] = {"turn", "weight", "all"};
    static const char *const needs[] = {"rate", "arrivals", "burst", "pause", "window", "order"};
    const carom_value *actions = carom_value_get(map, "actions");
    int order = LOAD_BY_WEIGHT;
    char place[SCENARIO_PATH_BYTES];
    scenario_place(place, "%s.actions", path);
    if (actions == NULL) {
        out->burst = 1;
        out->window = 1;
        for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
            if (carom_value_get(map, needs[i]) != NULL) {
                return scenario_fail(
                    r, path, "%s without actions: a client that has none only watches", needs[i]);
            }
        }
        return out->subscribes ||
               scenario_fail(r, path, "neither actions nor a subscription: nothing to do");
    }
    if (!read_beat(r, map, path, out) || !read_word(r, map, path, "order", orders, 3, &order)) {
        return false;
    }
    out->order = (load_order)order;
    if (out->order == LOAD_IN_ORDER && out->burst != 1) {
        return scenario_fail(r, path, "burst goes with the orders weight and turn");
    }
    return scenario_actions(r, actions, place, out);
}

static bool read_kind(scenario_reader *r, const carom_value *map, const char *path, size_t index)
{
    static const char *const keys[] = {"name",   "share",    "body",   "subscribe",
                                       "rate",   "arrivals", "burst",  "pause",
                                       "window", "order",    "actions"};
    load_behaviour *out = &r->plan->behaviours[index];
    // set first, so that load_plan_deinit frees it in any case
    r->plan->behaviour_count = index + 1;
    *out = (load_behaviour){.weight = 1.0};
    (void)snprintf(out->name, sizeof out->name, "kind %zu", index + 1);
    return scenario_keys(r, map, path, keys, sizeof keys / sizeof keys[0]) &&
           read_name(r, map, path, out->name) &&
           scenario_number(r, map, path, "share", 0.0, SHARE_MAX, &out->weight) &&
           read_body(r, map, path, out) && read_subscription(r, map, path, out) &&
           read_doing(r, map, path, out);
}

static bool read_kinds(scenario_reader *r, const carom_value *list)
{
    size_t count = carom_value_count(list);
    double sum = 0.0;
    if (carom_value_type(list) != CAROM_ARRAY || count < 1 || count > LOAD_BEHAVIOURS_MAX) {
        return scenario_fail(r, "clients", "expected a list of 1 to %d kinds of clients",
                             LOAD_BEHAVIOURS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        char path[SCENARIO_PATH_BYTES];
        scenario_place(path, "clients[%zu]", i);
        if (!read_kind(r, carom_value_at(list, i), path, i)) {
            return false;
        }
        sum += r->plan->behaviours[i].weight;
    }
    return sum > 0.0 || scenario_fail(r, "clients", "every share is 0: at least one must be above");
}

// ---- the scenario

static bool read_constants(scenario_reader *r, const carom_value *map)
{
    if (map != NULL && carom_value_type(map) != CAROM_MAP) {
        return scenario_fail(r, "constants", "expected {\"name\": number or expression}");
    }
    if (carom_value_count(map) > LOAD_CONSTANTS_MAX) {
        return scenario_fail(r, "constants", "at most %d", LOAD_CONSTANTS_MAX);
    }
    for (size_t i = 0; i < carom_value_count(map); i++) {
        char path[SCENARIO_PATH_BYTES];
        double value = 0.0;
        const char *name = carom_value_key(map, i, NULL);
        scenario_place(path, "constants.%.80s", name);
        for (size_t v = 0; v < FILL_OWN_VARIABLES; v++) {
            if (strcmp(name, fill_variables[v]) == 0) {
                return scenario_fail(r, path, "each client has a variable of that name");
            }
        }
        if (!scenario_variable(r, path, name)) {
            return false;
        }
        if (!read_scalar(r, carom_value_at(map, i), path, "expected a number or an expression",
                         -1e300, 1e300, &value)) {
            return false;
        }
        r->plan->constants[r->plan->constant_count++] = (carom_variable){name, value};
    }
    return true;
}

static bool read_world(scenario_reader *r, const carom_value *map)
{
    if (map == NULL) {
        return true;
    }
    if (carom_value_type(map) != CAROM_MAP) {
        return scenario_fail(r, "world", "expected settings of world.create: {\"hz\": 60}");
    }
    r->plan->world_args = carom_value_clone(map);
    return scenario_arguments(r, "world.create", map, NULL, NULL, "world");
}

static bool read_all(scenario_reader *r, const carom_value *root)
{
    static const char *const keys[] = {"name",  "description", "seed",
                                       "world", "constants",   "clients"};
    const carom_value *description = carom_value_get(root, "description");
    double seed = 0.0;
    if (carom_value_type(root) != CAROM_MAP) {
        return scenario_fail(r, "line 1", "a scenario is a map {\"clients\": […]}");
    }
    (void)snprintf(r->plan->name, sizeof r->plan->name, "scenario");
    if (!scenario_keys(r, root, "line 1", keys, sizeof keys / sizeof keys[0]) ||
        !read_name(r, root, "", r->plan->name) ||
        !read_constants(r, carom_value_get(root, "constants")) ||
        !scenario_number(r, root, "", "seed", 0.0, SEED_MAX, &seed)) {
        return false;
    }
    r->plan->seed = (uint64_t)seed;
    r->client.random = r->plan->seed;
    if (description != NULL && carom_value_type(description) != CAROM_STR) {
        return scenario_fail(r, "description", "expected a text");
    }
    if (carom_value_get(root, "clients") == NULL) {
        return scenario_fail(r, "line 1", "clients is missing: a list of kinds of clients");
    }
    return read_world(r, carom_value_get(root, "world")) &&
           read_kinds(r, carom_value_get(root, "clients"));
}

bool scenario_read(load_plan *plan, const char *text, size_t size, char error[SCENARIO_ERROR_MAX])
{
    scenario_reader r = {.plan = plan, .error = error};
    carom_error why = {0};
    r.client = (fill_client){.own = 1, .spawned = 1, .subscription = 1, .clients = plan->clients};
    if (size > SCENARIO_BYTES_MAX) {
        (void)snprintf(error, SCENARIO_ERROR_MAX, "line 1: a file of %zu bytes; the limit is %d",
                       size, SCENARIO_BYTES_MAX);
        return false;
    }
    if (carom_json_parse(text, size, &plan->source, &why) != CAROM_OK) {
        (void)snprintf(error, SCENARIO_ERROR_MAX, "%s", why.text);
        return false;
    }
    return read_all(&r, plan->source);
}
