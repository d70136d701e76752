// Changes in the areas of a token; see confined_view.h. The world's thread.
#include "server/world/snapshots/confined_view.h"

#include "common/base/assert.h"
#include "server/world/snapshots/budget.h"
#include "server/world/snapshots/view_area.h"
#include "server/world/snapshots/view_group.h"

static bool in_sight(const publisher *p, const subscription *s, body_id id)
{
    const uint32_t slot = id_slot(id);
    const row_entry *entry =
        id != 0 && slot < p->rows.entries.count ? &p->rows.entries.data[slot] : NULL;
    return entry != NULL && entry->id == id &&
           (view_area_meets(s->token_areas, &entry->row.box) ||
            (s->seen != NULL && view_set_has(s->seen, slot) && entry->created <= s->version));
}

static bool joint_in_sight(const subscription *s, const joint_slots *of)
{
    const uint32_t slots[] = {of->a, of->b, of->other_a, of->other_b};
    bool seen = s->seen != NULL;
    for (size_t i = 0; i < sizeof slots / sizeof *slots && seen; i++) {
        seen = slots[i] == UINT32_MAX || view_set_has(s->seen, slots[i]);
    }
    return seen;
}

static bool bodies_changed_in_sight(const publisher *p, const subscription *s)
{
    for (uint32_t slot = 0; slot < p->rows.entries.count; slot++) {
        const row_entry *entry = &p->rows.entries.data[slot];
        const bool changed = entry->changed > s->version || entry->described > s->version;
        if (entry->id != 0 && changed && in_sight(p, s, entry->id)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < p->rows.removals.count; i++) {
        const row_removal *gone = &p->rows.removals.data[i];
        if (gone->removed > s->version && gone->created <= s->version && s->seen != NULL &&
            view_set_has(s->seen, id_slot(gone->id))) {
            return true;
        }
    }
    return false;
}

static bool joints_changed_in_sight(const publisher *p, const subscription *s)
{
    for (uint32_t i = 0; i < p->joints.entries.count; i++) {
        const joint_entry *e = &p->joints.entries.data[i];
        if (e->id != 0 && e->changed > s->version && joint_in_sight(s, &e->slots)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < p->joints.removals.count; i++) {
        const joint_removal *gone = &p->joints.removals.data[i];
        if (gone->removed > s->version && gone->created <= s->version &&
            joint_in_sight(s, &gone->slots)) {
            return true;
        }
    }
    return false;
}

static bool events_in_sight(const publisher *p, const subscription *s)
{
    for (uint64_t number = event_marks_sent(&s->marks)->next; number < event_log_end(&p->log);
         number++) {
        const uint8_t *encoded = NULL;
        const event_entry *event = event_log_get(&p->log, number, &encoded);
        if (event_is_of_command(event->kind)) {
            if (view_group_wants(p, s, event)) {
                return true;
            }
            continue;
        }
        if ((s->view.events >> event->kind & 1) != 0 && in_sight(p, s, event->a) &&
            (event->b == 0 || in_sight(p, s, event->b))) {
            return true;
        }
    }
    return false;
}

bool confined_view_changed(const publisher *p, const subscription *s)
{
    ASSERT(!p->stale && s->version <= p->rows.version);
    const budget *b = view_group_budget(s);
    return s->version < p->rows.floor || s->version == 0 || !description_complete(s->described) ||
           (b != NULL && b->left_out > 0) || bodies_changed_in_sight(p, s) ||
           (s->view.describe && joints_changed_in_sight(p, s)) || events_in_sight(p, s);
}
