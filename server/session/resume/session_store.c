// Sessions on disk, as they come and go; see session_store.h. Network thread only.
#include "server/session/resume/session_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/session/pair/pairs.h"
#include "server/session/resume/session_store_file.h"
#include "server/session/resume/session_store_records.h"
#include "server/session/calls/rights.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/world/state/last_requests.h"

static bool serves(const server *s)
{
    return s->options->data != NULL && !s->options->turned && s->limits->resume_ms > 0;
}

// ---- the file

static void fail(server *s, const char *what)
{
    if (!s->session_store.failed) {
        log_error("%s/sessions: %s: %s; some sessions will not survive a restart", s->options->data,
                  what, strerror(errno));
        s->session_store.failed = true;
    }
}

static bool write_sessions(const server *s, int fd)
{
    buffer record;
    buffer_init(&record, SESSION_STORE_RECORD_BYTES_MAX);
    bool good = session_store_file_begin(fd);
    for (uint32_t i = 0; i < s->sessions.count && good; i++) {
        const session *one = s->sessions.data[i];
        if (one == NULL || !one->resume.record_stored) {
            continue;
        }
        session_store_record_begin(&record);
        session_store_pack_session(&record, one);
        good = session_store_record_write(fd, &record);
        for (uint32_t k = 0; k < one->subscriptions.count && good; k++) {
            session_store_record_begin(&record);
            session_store_pack_subscription(&record, one, &one->subscriptions.data[k]);
            good = session_store_record_write(fd, &record);
        }
    }
    buffer_deinit(&record);
    return good;
}

static void ship(server *s, const buffer *record)
{
    pairs_ship_session(s, record->data + SESSION_STORE_HEAD_BYTES,
                       record->size - SESSION_STORE_HEAD_BYTES);
}

void session_store_ship_all(server *s)
{
    buffer record;
    buffer_init(&record, SESSION_STORE_RECORD_BYTES_MAX);
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        const session *one = s->sessions.data[i];
        if (one == NULL || !one->resume.record_stored) {
            continue;
        }
        session_store_record_begin(&record);
        session_store_pack_session(&record, one);
        ship(s, &record);
        for (uint32_t k = 0; k < one->subscriptions.count; k++) {
            session_store_record_begin(&record);
            session_store_pack_subscription(&record, one, &one->subscriptions.data[k]);
            ship(s, &record);
        }
    }
    buffer_deinit(&record);
}

// Writes the file again, from the table of sessions, atomically.
static void rewrite(server *s)
{
    char next[SESSION_STORE_PATH_BYTES];
    char path[SESSION_STORE_PATH_BYTES];
    session_store_path(s->options->data, ".new", next);
    session_store_path(s->options->data, "", path);
    int fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fd >= 0 && write_sessions(s, fd) && rename(next, path) == 0;
    if (!good) {
        fail(s, "cannot be rewritten");
        if (fd >= 0) {
            (void)close(fd);
        }
        s->session_store.bytes = 0; // tried again after the same number of bytes
        return;
    }
    if (s->session_store.fd >= 0) {
        (void)close(s->session_store.fd);
    }
    s->session_store.fd = fd;
    s->session_store.bytes = 0;
    s->session_store.failed = false;
}

static void begin(buffer *record)
{
    buffer_init(record, SESSION_STORE_RECORD_BYTES_MAX);
    session_store_record_begin(record);
}

// Gives the record's memory back.
static void append(server *s, buffer *record)
{
    ASSERT(serves(s) && !record->overflow);
    if (s->session_store.fd >= 0 && !s->session_store.failed &&
        !session_store_record_write(s->session_store.fd, record)) {
        fail(s, "cannot be written");
    }
    ship(s, record);
    s->session_store.bytes += record->size;
    buffer_deinit(record);
    if (s->session_store.bytes >= SESSION_STORE_GROWTH_BYTES &&
        s->stage != SERVER_DRAINING) { // otherwise some have ended already
        rewrite(s);
    }
}

// ---- records of sessions' changes

static bool writes(const session *s)
{
    return serves(s->server) && s->server->session_store.fd >= 0 &&
           s->server->stage != SERVER_DRAINING && s->resume.record_stored;
}

void session_store_note(session *s)
{
    if (!serves(s->server) || !session_resumable(s)) {
        return;
    }
    s->resume.record_stored = true;
    if (writes(s)) {
        buffer record;
        begin(&record);
        session_store_pack_session(&record, s);
        append(s->server, &record);
    }
}

void session_store_note_subscription(session *s, const session_subscription *made)
{
    if (writes(s)) {
        buffer record;
        begin(&record);
        session_store_pack_subscription(&record, s, made);
        append(s->server, &record);
    }
}

void session_store_drop_subscription(session *s, uint64_t number)
{
    if (writes(s)) {
        buffer record;
        begin(&record);
        session_store_pack_unsubscribed(&record, s, number);
        append(s->server, &record);
    }
}

void session_store_end(session *s)
{
    if (writes(s)) {
        s->resume.record_stored = false; // set first: the file may be rewritten
        buffer record;
        begin(&record);
        session_store_pack_end(&record, s);
        append(s->server, &record);
    }
}

// The entry of a removed world is replaced by the last entry, which was already visited.
static bool bury_unlogged(session *s)
{
    bool buried = false;
    for (uint32_t i = s->calls.requests.applied.count; i > 0; i--) {
        const uint64_t world = s->calls.requests.applied.data[i - 1].world;
        const world_entry *entry = directory_find_number(&s->server->worlds, world);
        if (entry != NULL && !entry->logged) {
            buried = request_log_bury(&s->calls.requests, world, entry->name) || buried;
        }
    }
    return buried;
}

void session_store_note_ending(session *s)
{
    const session_store *l = &s->server->session_store;
    if (l->fd < 0 || l->failed || !s->resume.record_stored || s->server->handover.worlds > 0 ||
        !bury_unlogged(s)) {
        return;
    }
    buffer record;
    begin(&record);
    session_store_pack_session(&record, s);
    append(s->server, &record);
}

bool session_store_keeps(const session *s)
{
    const session_store *l = &s->server->session_store;
    return s->server->stage == SERVER_DRAINING && s->resume.record_stored && l->fd >= 0 &&
           !l->failed;
}

// ---- a start

status session_store_check(const server *s, error *err)
{
    return serves(s) ? session_store_file_check_version(s->options->data, err) : STATUS_OK;
}

void session_store_note_stale(server *s, uint64_t world, const last_requests *marks)
{
    stale_sessions *stale = &s->session_store.stale;
    array_push(&stale->worlds, world);
    for (uint32_t i = 0; i < marks->by_slot.count; i++) {
        if (marks->by_slot.data[i].session != 0) {
            array_push(&stale->sessions, marks->by_slot.data[i].session);
        }
    }
}

static bool has_number(const uint64_t *numbers, uint32_t count, uint64_t number)
{
    for (uint32_t i = 0; i < count; i++) {
        if (numbers[i] == number) {
            return true;
        }
    }
    return false;
}

// Records a session with a subscription to a stale world, which session_store_subscribe will drop.
static void note_subscribers(server *s)
{
    stale_sessions *stale = &s->session_store.stale;
    for (detached_link *link = s->detached.first; link != NULL && stale->worlds.count > 0;
         link = link->next) {
        const session *one = session_of_link(link);
        for (uint32_t k = 0; k < one->subscriptions.count; k++) {
            if (has_number(stale->worlds.data, stale->worlds.count,
                           one->subscriptions.data[k].world)) {
                array_push(&stale->sessions, one->key.number);
                break;
            }
        }
    }
}

void session_store_end_stale(server *s)
{
    stale_sessions *stale = &s->session_store.stale;
    detached_link *next = NULL;
    for (detached_link *link = s->detached.first; link != NULL; link = next) {
        session *one = session_of_link(link);
        next = link->next;
        if (one->subscriptions.count == 0 && one->calls.requests.applied.count == 0 &&
            has_number(stale->sessions.data, stale->sessions.count, one->key.number)) {
            log_debug("session %llu goes on at another server",
                      (unsigned long long)one->key.number);
            resume_end(one);
        }
    }
    array_free(&stale->worlds);
    array_free(&stale->sessions);
}

static bool take_record(void *context, const msgpack_object *record)
{
    return session_store_read_record(context, record);
}

// Reads the sound records. If some are damaged, the file is kept under another name
// for the operator, and this server begins a new one.
static void read_file(server *s)
{
    session_store_report found;
    error err;
    if (session_store_file_read(s->options->data, take_record, s, &found, &err) == STATUS_OK) {
        return;
    }
    char path[SESSION_STORE_PATH_BYTES];
    char aside[SESSION_STORE_PATH_BYTES];
    session_store_path(s->options->data, "", path);
    session_store_path(s->options->data, ".damaged", aside);
    bool kept = rename(path, aside) == 0;
    log_warn("%s: sessions from there on cannot be resumed%s%s", err.text,
             kept ? "; it is kept as " : "", kept ? aside : "");
}

void session_store_open(server *s)
{
    s->session_store.fd = -1;
    if (!serves(s)) {
        return;
    }
    s->sessions.count = 0;
    read_file(s);
    note_subscribers(s);
    array_clear(&s->free_slots);
    for (uint32_t slot = s->sessions.count; slot > 0; slot--) {
        if (s->sessions.data[slot - 1] == NULL) {
            array_push(&s->free_slots, slot - 1);
        }
    }
    if (s->detached.count > 0) {
        log_info("%llu %s can be resumed within %llu ms",
                 COUNTED(s->detached.count, "session", "sessions"),
                 (unsigned long long)s->limits->resume_ms);
    }
    rewrite(s);
}

static bool subscribe(session *s, const session_subscription *of)
{
    world_entry *entry = directory_find_number(&s->server->worlds, of->world);
    if (entry == NULL || entry->broken != NULL || strcmp(entry->name, of->world_name) != 0) {
        return false;
    }
    request *r = request_create(REQUEST_COMMAND, entry->number);
    r->command.method = METHOD_WORLD_SUBSCRIBE;
    memcpy(r->command.world, entry->name, sizeof r->command.world);
    r->command.subscribe = of->args;
    data_prefixes_give(of->data, &r->command);
    r->again = true;
    rights_limit_token_areas(s, &r->command);
    r->subscription = of->number;
    r->holder = memory_holder_ref(rights_holder(s));
    r->reply_to.session = s->key;
    rights_sign(s, r);
    error err;
    return worlds_send(s->server, entry, r, &err) == STATUS_OK;
}

typedef struct wanted {
    session *of;
    uint64_t number;
} wanted;

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = ((const wanted *)a)->number;
    uint64_t y = ((const wanted *)b)->number;
    return (x > y) - (x < y);
}

// Subscriptions are restored in the order in which they were made, which worlds rely on. If an
// altered file has a number twice, the first one counts. `world` 0: of all worlds. A session may
// have been resumed already, for another world, when a world comes from another server.
static void subscribe_all(server *s, uint64_t world)
{
    ARRAY(wanted) all = {0};
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        session *one = s->sessions.data[i];
        for (uint32_t k = 0; one != NULL && k < one->subscriptions.count; k++) {
            if (world == 0 || one->subscriptions.data[k].world == world) {
                array_push(&all, ((wanted){one, one->subscriptions.data[k].number}));
            }
        }
    }
    if (all.count > 0) {
        qsort(all.data, all.count, sizeof *all.data, compare_numbers);
        const uint64_t next = all.data[all.count - 1].number + 1;
        s->next_subscription = next > s->next_subscription ? next : s->next_subscription;
    }
    for (uint32_t i = 0; i < all.count; i++) {
        const session_subscription of =
            *session_find_subscription(all.data[i].of, all.data[i].number);
        const bool again = i > 0 && all.data[i - 1].number == of.number;
        if (again || !subscribe(all.data[i].of, &of)) {
            session_drop_subscription(all.data[i].of, of.number);
        }
    }
    array_free(&all);
}

void session_store_subscribe(server *s)
{
    subscribe_all(s, 0);
}

void session_store_subscribe_to(server *s, uint64_t world)
{
    subscribe_all(s, world);
}

void session_store_close(server *s)
{
    array_free(&s->session_store.stale.worlds);
    array_free(&s->session_store.stale.sessions);
    if (serves(s) && s->session_store.fd >= 0) {
        (void)close(s->session_store.fd);
    }
    s->session_store.fd = -1;
}
