// The files and option texts of 'carom bench': an input is a scenario file, and the texts of
// --stage and --fail-if. An accepted plan must be within its limits, and the calls of every client
// can be filled in; other input is refused with a text.
#include <stdlib.h>
#include <string.h>

#include "client/load/fill.h"
#include "client/load/scenario.h"
#include "client/load/threshold.h"
#include "common/base/assert.h"
#include "tests/fuzz/fuzz.h"

enum { CLIENTS = 3, CALLS = 2 };

// ---- scenarios

static void fill_one(const load_plan *plan, const carom_value *given, const carom_value *let,
                     fill_client *client)
{
    char why[FILL_ERROR_MAX] = "";
    fill_scope scope;
    fill_begin(&scope, plan, client);
    bool defined = fill_define(&scope, let, why);
    carom_value *filled = defined && given != NULL ? fill_args(given, &scope, why) : NULL;
    // a value may be undefined, for example 1 / client for client 0
    ASSERT(filled != NULL || given == NULL || why[0] != '\0');
    carom_value_free(filled);
}

static void check_action(const load_plan *plan, const load_action *action, fill_client *client)
{
    if (action->method == NULL) {
        ASSERT(action->pause[0] >= 0.0 && action->pause[0] <= action->pause[1]);
        ASSERT(action->pause[1] <= LOAD_PAUSE_MAX_S);
        return;
    }
    ASSERT(action->weight >= 0.0 && action->weight <= LOAD_WEIGHT_MAX);
    ASSERT(action->keep >= 1 && action->keep <= LOAD_KEPT_MAX);
    ASSERT(carom_value_get(action->args, "world") == NULL);
    ASSERT(!action->spawns || strcmp(carom_get_str(action->args, "lifetime", ""), "session") == 0);
    fill_one(plan, action->args, action->let, client);
}

static void check_behaviour(const load_plan *plan, const load_behaviour *b, fill_client *client)
{
    ASSERT(b->weight >= 0.0 && b->action_count <= LOAD_ACTIONS_MAX);
    ASSERT(strlen(b->name) < sizeof b->name && b->window <= LOAD_WINDOW_MAX);
    ASSERT(b->burst <= LOAD_BURST_MAX);
    fill_one(plan, b->body, NULL, client);
    fill_one(plan, b->subscribe, NULL, client);
    for (size_t i = 0; i < b->action_count; i++) {
        check_action(plan, &b->actions[i], client);
    }
}

static void read_scenario(const char *text, size_t size)
{
    static load_plan plan; // large
    char error[SCENARIO_ERROR_MAX] = "";
    memset(&plan, 0, sizeof plan);
    plan.clients = CLIENTS;
    bool good = scenario_read(&plan, text, size, error);
    ASSERT(good || error[0] != '\0');
    ASSERT(!good || (plan.behaviour_count >= 1 && plan.behaviour_count <= LOAD_BEHAVIOURS_MAX));
    ASSERT(plan.constant_count <= LOAD_CONSTANTS_MAX);
    for (unsigned n = 0; good && n < CLIENTS * CALLS; n++) {
        fill_client client = {.own = 1,
                              .spawned = 2,
                              .subscription = 3,
                              .home = {n, -1.0},
                              .number = n % CLIENTS,
                              .clients = CLIENTS,
                              .calls = n / CLIENTS,
                              .random = n};
        for (size_t i = 0; i < plan.behaviour_count; i++) {
            check_behaviour(&plan, &plan.behaviours[i], &client);
        }
    }
    unsigned char dealt[CLIENTS];
    if (good) {
        load_plan_deal(&plan, dealt);
    }
    for (size_t i = 0; good && i < CLIENTS; i++) {
        ASSERT(dealt[i] < plan.behaviour_count);
    }
    load_plan_deinit(&plan);
}

// ---- words of the command line

static void read_stages(const char *text)
{
    load_stages stages = {.count = 0};
    char error[LOAD_STAGES_ERROR_MAX] = "";
    bool good = load_stages_parse(&stages, text, LOAD_CLIENTS_MAX, error);
    ASSERT(stages.count <= LOAD_STAGES_MAX && (good || error[0] != '\0'));
    double seconds = load_stages_seconds(&stages);
    unsigned peak = load_stages_peak(&stages);
    ASSERT(seconds >= 0.0 && peak <= LOAD_CLIENTS_MAX);
    for (int i = 0; i <= 8; i++) {
        ASSERT(load_stages_at(&stages, seconds * (double)i / 8.0) <= peak);
    }
}

static void read_threshold(const char *text)
{
    static load_tally tally; // large; nothing was measured
    const load_result result = {.tally = &tally};
    load_threshold threshold;
    char error[LOAD_THRESHOLD_ERROR_MAX] = "";
    char shown[64];
    if (!load_threshold_parse(&threshold, text, error)) {
        ASSERT(error[0] != '\0');
        return;
    }
    ASSERT(threshold.limit >= 0.0 && threshold.percent <= 100.0);
    ASSERT(strcmp(threshold.text, text) == 0);
    load_verdict verdict = load_threshold_judge(&threshold, &result);
    ASSERT(verdict.measured || verdict.met);
    load_threshold_show(&threshold, verdict.measured ? verdict.value : threshold.limit, shown,
                        sizeof shown);
    ASSERT(shown[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    ASSERT(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    read_scenario(text, size);
    read_stages(text);
    read_threshold(text);
    free(text);
    return 0;
}
