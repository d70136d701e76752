// Worlds to a file; see handover.h. Network thread only.
#include "server/session/resume/handover.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/base/file.h"
#include "server/session/service.h"

// The magic before the first.
static bool write_head(server *s, uint8_t head[HANDOVER_HEAD_BYTES], const char *name)
{
    int fd = s->handover.worlds;
    size_t size = strlen(name);
    put32(head + HANDOVER_NAME_AT, (uint32_t)size);
    put32(head + HANDOVER_CHECKSUM_AT, crc32c(crc32c(0, head, HANDOVER_CHECKSUM_AT), name, size));
    bool begun =
        lseek(fd, 0, SEEK_CUR) > 0 || file_write_all(fd, HANDOVER_MAGIC, HANDOVER_MAGIC_BYTES);
    return begun && file_write_all(fd, head, HANDOVER_HEAD_BYTES) && file_write_all(fd, name, size);
}

// `entry` NULL: the world was to be destroyed, and its log may still bring it back.
static bool write_world(server *s, const world_entry *entry, const reply *r)
{
    uint8_t head[HANDOVER_HEAD_BYTES] = {0};
    const bool whole = entry != NULL && r->payload != NULL;
    put64(head, r->world);
    put64(head + HANDOVER_SESSION_AT, entry != NULL ? entry->session : 0);
    put64(head + HANDOVER_SEQUENCE_AT, r->end.sequence);
    put64(head + HANDOVER_TICK_AT, r->end.tick);
    put64(head + HANDOVER_HASH_AT, r->end.hash);
    put64(head + HANDOVER_SIZE_AT, whole ? r->payload->size : 0);
    put32(head + HANDOVER_KIND_AT, entry != NULL ? r->end.kind : WORLD_END_UNSETTLED);
    return write_head(s, head, whole ? entry->name : "") &&
           (!whole || file_write_all(s->handover.worlds, r->payload->data, r->payload->size));
}

void handover_note(server *s, const reply *r)
{
    world_entry *entry = directory_find_number(&s->worlds, r->world);
    if (entry != NULL) {
        entry->handed = true;
    }
    const bool forgotten = entry == NULL || entry->unnamed;
    const bool logged = r->end.kind == WORLD_END_LOGGED || r->end.kind == WORLD_END_UNSETTLED;
    if (r->end.kind == WORLD_END_NOTHING || (forgotten && !logged)) {
        return;
    }
    s->handover.count++;
    if (!s->handover.failed && !write_world(s, forgotten ? NULL : entry, r)) {
        log_error("world '%s' cannot be handed over: %s", entry != NULL ? entry->name : "",
                  strerror(errno));
        s->handover.failed = true;
    }
}

// Writes the entry of a world that is not served, whose log stays.
static void note_unserved(server *s, const world_entry *entry)
{
    uint8_t head[HANDOVER_HEAD_BYTES] = {0};
    put64(head, entry->number);
    put32(head + HANDOVER_KIND_AT, HANDOVER_KIND_UNSERVED);
    s->handover.count++;
    if (!s->handover.failed && !write_head(s, head, "")) {
        log_error("world '%s' cannot be handed over: %s", entry->name, strerror(errno));
        s->handover.failed = true;
    }
}

void handover_finish(server *s)
{
    for (uint32_t i = 0; i < s->worlds.by_number.count; i++) {
        const world_entry *entry = s->worlds.by_number.data[i];
        if (entry->thread != NULL && !entry->unnamed && !entry->handed) {
            log_error("world '%s' was not handed over", entry->name);
            s->handover.failed = true;
        } else if (entry->broken != NULL && entry->logged) {
            note_unserved(s, entry);
        }
    }
    uint8_t head[HANDOVER_HEAD_BYTES] = {0};
    put64(head, s->handover.count);
    put32(head + HANDOVER_KIND_AT, HANDOVER_KIND_END);
    if (!s->handover.failed && !write_head(s, head, "")) {
        log_error("the worlds cannot be handed over: %s", strerror(errno));
    } // the next process does not accept a file without its end
}
