// A table by slot and the list of its new entries; see session_marks.h. The world's thread.
#include "server/world/session_marks.h"

#include "common/base/assert.h"

void session_marks_deinit(session_marks *m)
{
    array_free(&m->by_slot);
    array_free(&m->fresh);
}

static session_mark *mark_at(session_marks *m, uint32_t slot)
{
    if (slot >= m->by_slot.count) {
        array_reserve(&m->by_slot, slot + 1); // new elements are zero
        m->by_slot.count = slot + 1;
    }
    return &m->by_slot.data[slot];
}

void session_marks_note(session_marks *m, uint32_t slot, uint64_t session, uint64_t sequence,
                        uint32_t id)
{
    session_mark *mark = mark_at(m, slot);
    if (mark->session == session && mark->sequence > sequence) {
        return; // a batch for a later tick may take effect after a request that came after it
    }
    if (!mark->fresh) {
        array_push(&m->fresh, slot);
    }
    *mark = (session_mark){.session = session, .sequence = sequence, .id = id, .fresh = true};
}

bool session_marks_full(const session_marks *m)
{
    return m->fresh.count >= SESSION_MARKS_NEW_MAX;
}

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

uint32_t session_marks_encode(const session_marks *m, bool all, uint8_t *out)
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
            put(row, mark->session, 8);
            put(row + 8, slot, 4);
            put(row + 12, mark->id, 4);
        }
        count++;
    }
    return count;
}

void session_marks_settle(session_marks *m)
{
    for (uint32_t i = 0; i < m->fresh.count; i++) {
        m->by_slot.data[m->fresh.data[i]].fresh = false;
    }
    array_clear(&m->fresh);
}

bool session_marks_decode(session_marks *m, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = bytes + (size_t)i * SESSION_MARK_BYTES;
        uint64_t session = get(row, 8);
        uint32_t slot = (uint32_t)get(row + 8, 4);
        if (session == 0 || slot >= SESSION_MARK_SLOTS_MAX) {
            return false;
        }
        *mark_at(m, slot) = (session_mark){.session = session, .id = (uint32_t)get(row + 12, 4)};
    }
    return true;
}
