// A table by slot and the list of its new entries; see last_requests.h. The world's thread.
#include "server/world/state/last_requests.h"

#include "common/base/assert.h"
#include "common/base/little_endian.h"

void last_requests_deinit(last_requests *m)
{
    array_free(&m->by_slot);
    array_free(&m->fresh);
}

static session_mark *mark_at(last_requests *m, uint32_t slot)
{
    ASSERT(slot < SESSION_MARK_SLOTS_MAX);
    if (slot >= m->by_slot.count) {
        array_reserve(&m->by_slot, slot + 1); // new elements are zero
        m->by_slot.count = slot + 1;
    }
    return &m->by_slot.data[slot];
}

void last_requests_note(last_requests *m, uint32_t slot, uint64_t session, uint64_t sequence,
                        uint32_t id)
{
    ASSERT(session != 0 && m->fresh.count <= SESSION_MARK_SLOTS_MAX);
    session_mark *mark = mark_at(m, slot);
    // A batch for a later tick may take effect after a later request of its session, or after its
    // session has ended: then the slot may have another session, with a higher number.
    bool later = mark->session == session ? mark->sequence > sequence
                                          : mark->session > session && mark->sequence > 0;
    if (later) {
        return;
    }
    if (!mark->fresh) {
        array_push(&m->fresh, slot);
    }
    *mark = (session_mark){.session = session, .sequence = sequence, .id = id, .fresh = true};
}

bool last_requests_full(const last_requests *m)
{
    return m->fresh.count >= LAST_REQUESTS_NEW_MAX;
}

uint32_t last_requests_encode(const last_requests *m, bool all, uint8_t *out)
{
    uint32_t count = 0;
    uint32_t end = all ? m->by_slot.count : m->fresh.count;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t slot = all ? i : m->fresh.data[i];
        const session_mark *mark = &m->by_slot.data[slot];
        if (mark->session == 0) {
            continue;
        }
        if (out != NULL) {
            uint8_t *row = out + (size_t)count * SESSION_MARK_BYTES;
            put64(row, mark->session);
            put32(row + 8, slot);
            put32(row + 12, mark->id);
        }
        count++;
    }
    return count;
}

void last_requests_settle(last_requests *m)
{
    ASSERT(m->fresh.count <= m->by_slot.count);
    for (uint32_t i = 0; i < m->fresh.count; i++) {
        m->by_slot.data[m->fresh.data[i]].fresh = false;
    }
    array_clear(&m->fresh);
}

bool last_requests_decode(last_requests *m, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = bytes + (size_t)i * SESSION_MARK_BYTES;
        uint64_t session = get64(row);
        uint32_t slot = get32(row + 8);
        if (session == 0 || slot >= SESSION_MARK_SLOTS_MAX) {
            return false;
        }
        *mark_at(m, slot) = (session_mark){.session = session, .id = get32(row + 12)};
    }
    return true;
}
