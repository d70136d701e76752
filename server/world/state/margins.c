// Margins of timed batches; see margins.h. The world's thread.
#include "server/world/state/margins.h"

#include "common/base/assert.h"
#include "server/world/state/last_requests.h"

void margins_deinit(margins *m)
{
    array_free(&m->by_slot);
}

void margins_note(margins *m, uint32_t slot, uint64_t session, double margin)
{
    ASSERT(session > 0 && slot < SESSION_MARK_SLOTS_MAX);
    if (slot >= m->by_slot.count) {
        array_reserve(&m->by_slot, slot + 1); // new elements are zero
        m->by_slot.count = slot + 1;
    }
    session_margin *of = &m->by_slot.data[slot];
    if (of->session > session) {
        return; // the slot has a later session: the batch waited for long
    }
    if (of->session < session) {
        *of = (session_margin){.session = session};
    }
    of->least = of->waits && of->least < margin ? of->least : margin;
    of->waits = true;
}

void margins_begin_publishing(margins *m)
{
    m->publishing++;
}

bool margins_take(margins *m, uint32_t slot, uint64_t session, double *margin)
{
    if (m == NULL || slot >= m->by_slot.count || m->by_slot.data[slot].session != session) {
        return false;
    }
    session_margin *of = &m->by_slot.data[slot];
    ASSERT(m->publishing > 0 && of->sent_in <= m->publishing);
    if (of->waits) {
        of->sent = of->least;
        of->sent_in = m->publishing;
        of->waits = false;
    }
    *margin = of->sent;
    return of->sent_in == m->publishing;
}
