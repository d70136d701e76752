// See plan.h. Pure, any thread. Behaviours are dealt as a weighted round robin: each client goes to
// the behaviour that is furthest behind its share, which never strays from it by more than one.
#include "client/load/plan.h"

void load_plan_deinit(load_plan *plan)
{
    for (size_t b = 0; b < plan->behaviour_count; b++) {
        load_behaviour *one = &plan->behaviours[b];
        for (size_t i = 0; i < one->action_count; i++) {
            carom_value_free(one->actions[i].args);
            carom_value_free(one->actions[i].let);
        }
        carom_value_free(one->body);
        carom_value_free(one->subscribe);
    }
    carom_value_free(plan->world_args);
    carom_value_free(plan->source);
    *plan = (load_plan){0};
}

void load_plan_deal(const load_plan *plan, unsigned char *out)
{
    double credit[LOAD_BEHAVIOURS_MAX] = {0.0};
    double sum = 0.0;
    for (size_t b = 0; b < plan->behaviour_count; b++) {
        sum += plan->behaviours[b].weight;
    }
    for (unsigned i = 0; i < plan->clients; i++) {
        size_t best = 0;
        for (size_t b = 0; b < plan->behaviour_count; b++) {
            credit[b] += plan->behaviours[b].weight;
            best = credit[b] > credit[best] ? b : best;
        }
        credit[best] -= sum;
        out[i] = (unsigned char)best;
    }
}
