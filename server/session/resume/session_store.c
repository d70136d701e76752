// Sessions on disk, as they come and go; see session_store.h. Network thread only.
#include "server/session/resume/session_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "server/base/clock.h"
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

// Adds the session and its subscriptions to `out`, a record each.
static void pack_whole(buffer *out, buffer *record, const session *one)
{
    session_store_record_begin(record);
    session_store_pack_session(record, one);
    session_store_record_add(out, record);
    for (uint32_t k = 0; k < one->subscriptions.count; k++) {
        session_store_record_begin(record);
        session_store_pack_subscription(record, one, &one->subscriptions.data[k]);
        session_store_record_add(out, record);
    }
}

static bool send_payload(session_store_send *send, void *context, const buffer *record)
{
    return send(context, record->data + SESSION_STORE_HEAD_BYTES,
                record->size - SESSION_STORE_HEAD_BYTES);
}

bool session_store_ship(const session *one, session_store_send *send, void *context)
{
    buffer record;
    if (!one->resume.record_stored) {
        return true;
    }
    buffer_init(&record, SESSION_STORE_RECORD_BYTES_MAX);
    session_store_record_begin(&record);
    session_store_pack_session(&record, one);
    bool sent = send_payload(send, context, &record);
    for (uint32_t k = 0; k < one->subscriptions.count && sent; k++) {
        session_store_record_begin(&record);
        session_store_pack_subscription(&record, one, &one->subscriptions.data[k]);
        sent = send_payload(send, context, &record);
    }
    buffer_deinit(&record);
    return sent;
}

// ---- writing the file again
//
// A job of the network thread writes DIR/sessions.new, one session after another, by their slots,
// and then renames it. Meanwhile records go to the present file, and those of sessions that the job
// has passed to the new one too: whenever the process ends, one of them is whole.

static void forget_rewriting(session_store *l)
{
    buffer_deinit(&l->rewriting.out);
    buffer_deinit(&l->rewriting.record);
    l->rewriting.fd = -1;
}

static void fail_rewriting(server *s)
{
    session_store *l = &s->session_store;
    fail(s, "cannot be rewritten");
    if (l->rewriting.fd >= 0) {
        (void)close(l->rewriting.fd);
    }
    forget_rewriting(l);
    l->bytes = 0; // tried again after the same number of bytes
}

static void finish_rewriting(server *s)
{
    session_store *l = &s->session_store;
    char next[SESSION_STORE_PATH_BYTES];
    char path[SESSION_STORE_PATH_BYTES];
    session_store_path(s->options->data, ".new", next);
    session_store_path(s->options->data, "", path);
    if (rename(next, path) != 0) {
        fail_rewriting(s);
        return;
    }
    if (l->fd >= 0) {
        (void)close(l->fd);
    }
    l->fd = l->rewriting.fd;
    l->whole = l->rewriting.bytes;
    l->bytes = 0;
    l->failed = false;
    forget_rewriting(l);
}

static bool write_next(server *s)
{
    session_store *l = &s->session_store;
    session *one = s->sessions.data[l->rewriting.next];
    if (one != NULL) {
        burials_settle(one);
    }
    l->rewriting.next++;
    if (one == NULL || !one->resume.record_stored) {
        return true;
    }
    buffer_clear(&l->rewriting.out);
    pack_whole(&l->rewriting.out, &l->rewriting.record, one);
    ASSERT(!l->rewriting.out.overflow);
    l->rewriting.bytes += l->rewriting.out.size;
    return session_store_write(l->rewriting.fd, &l->rewriting.out);
}

static job_progress rewrite_some(turn_job *job, const turn *slice)
{
    server *s = (server *)((char *)job - offsetof(server, session_store.rewriting.job));
    session_store *l = &s->session_store;
    ASSERT(l->rewriting.fd >= 0);
    if (s->stage == SERVER_DRAINING) { // some sessions have ended already: the present file stays
        (void)close(l->rewriting.fd);
        forget_rewriting(l);
        return JOB_DONE;
    }
    while (l->rewriting.next < s->sessions.count) {
        if (!write_next(s)) {
            fail_rewriting(s);
            return JOB_DONE;
        }
        if (turn_over(slice)) {
            return JOB_GOES_ON;
        }
    }
    finish_rewriting(s);
    return JOB_DONE;
}

// False: the file cannot be made.
static bool begin_rewriting(server *s)
{
    session_store *l = &s->session_store;
    char next[SESSION_STORE_PATH_BYTES];
    session_store_path(s->options->data, ".new", next);
    buffer_init(&l->rewriting.out, UINT32_MAX);
    buffer_init(&l->rewriting.record, SESSION_STORE_RECORD_BYTES_MAX);
    l->rewriting.next = 0;
    l->rewriting.bytes = 0;
    l->rewriting.fd =
        open(next, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool good = l->rewriting.fd >= 0 && session_store_file_begin(l->rewriting.fd);
    if (!good) {
        fail_rewriting(s);
    }
    return good;
}

// At once: nobody is served yet.
static void rewrite_at_start(server *s)
{
    const turn whole = turn_begin(clock_now_ns, INT64_MAX / 2);
    if (begin_rewriting(s)) {
        const job_progress done = rewrite_some(&s->session_store.rewriting.job, &whole);
        ASSERT(done == JOB_DONE);
    }
}

// The file has as many bytes of outdated records as of others, at most, and each byte is written
// twice.
static bool is_rewriting_due(const server *s)
{
    const session_store *l = &s->session_store;
    const uint64_t least = SESSION_STORE_GROWTH_BYTES;
    return l->bytes >= (l->whole > least ? l->whole : least) && l->rewriting.fd < 0 &&
           s->stage != SERVER_DRAINING;
}

// ---- records

static void begin(buffer *record)
{
    buffer_init(record, SESSION_STORE_RECORD_BYTES_MAX);
    session_store_record_begin(record);
}

// Gives the record's memory back.
static void append(const session *of, buffer *record)
{
    server *s = of->server;
    session_store *l = &s->session_store;
    ASSERT(serves(s) && !record->overflow);
    session_store_record_seal(record);
    if (l->fd >= 0 && !l->failed && !session_store_write(l->fd, record)) {
        fail(s, "cannot be written");
    }
    if (l->rewriting.fd >= 0 && of->key.slot < l->rewriting.next) {
        l->rewriting.bytes += record->size;
        if (!session_store_write(l->rewriting.fd, record)) {
            work_remove(s, &l->rewriting.job);
            fail_rewriting(s);
        }
    }
    pairs_ship_session(s, of->key.slot, record->data + SESSION_STORE_HEAD_BYTES,
                       record->size - SESSION_STORE_HEAD_BYTES);
    l->bytes += record->size;
    buffer_deinit(record);
    if (is_rewriting_due(s) && begin_rewriting(s)) {
        work_add(s, &l->rewriting.job, rewrite_some, SERVER_SUBJECT);
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
        append(s, &record);
    }
}

void session_store_note_subscription(session *s, const session_subscription *made)
{
    if (writes(s)) {
        buffer record;
        begin(&record);
        session_store_pack_subscription(&record, s, made);
        append(s, &record);
    }
}

void session_store_drop_subscription(session *s, uint64_t number)
{
    if (writes(s)) {
        buffer record;
        begin(&record);
        session_store_pack_unsubscribed(&record, s, number);
        append(s, &record);
    }
}

void session_store_end(session *s)
{
    if (writes(s)) {
        s->resume.record_stored = false; // the job passes it over
        buffer record;
        begin(&record);
        session_store_pack_end(&record, s);
        append(s, &record);
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
    append(s, &record);
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
    s->session_store.fd = s->session_store.rewriting.fd = -1;
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
    rewrite_at_start(s);
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

static int compare_subscribers(const void *a, const void *b)
{
    uint64_t x = ((const subscriber *)a)->subscription;
    uint64_t y = ((const subscriber *)b)->subscription;
    return (x > y) - (x < y);
}

// Subscriptions are restored in the order in which they were made, which worlds rely on. `world` 0:
// of all worlds. A session may have been resumed already, for another world, when a world comes
// from another server.
void session_store_find_subscribers(server *s, uint64_t world, subscribers *out)
{
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        const session *one = s->sessions.data[i];
        for (uint32_t k = 0; one != NULL && k < one->subscriptions.count; k++) {
            const session_subscription *of = &one->subscriptions.data[k];
            if (world == 0 || of->world == world) {
                array_push(&out->all, ((subscriber){one->key.number, of->number}));
            }
        }
    }
    if (out->all.count > 0) {
        qsort(out->all.data, out->all.count, sizeof *out->all.data, compare_subscribers);
        const uint64_t next = out->all.data[out->all.count - 1].subscription + 1;
        s->next_subscription = next > s->next_subscription ? next : s->next_subscription;
    }
}

// If an altered file has a number twice, the first one counts. The session, or its subscription,
// may have ended since it was listed.
static void subscribe_next(server *s, subscribers *of)
{
    const uint32_t at = of->next++;
    const subscriber *one = &of->all.data[at];
    session *owner = server_find_number(s, one->session);
    const session_subscription *found =
        owner != NULL ? session_find_subscription(owner, one->subscription) : NULL;
    if (found != NULL) {
        const session_subscription copy = *found;
        const bool again = at > 0 && of->all.data[at - 1].subscription == one->subscription;
        if (again || !subscribe(owner, &copy)) {
            session_drop_subscription(owner, copy.number);
        }
    }
}

bool session_store_subscribe_some(server *s, subscribers *of, const turn *slice)
{
    bool over = false;
    while (of->next < of->all.count && !over) {
        subscribe_next(s, of);
        over = turn_over(slice);
    }
    if (of->next < of->all.count) {
        return false;
    }
    array_free(&of->all);
    of->next = 0;
    return true;
}

void session_store_subscribe(server *s)
{
    subscribers all = {0};
    const turn whole = turn_begin(clock_now_ns, INT64_MAX / 2);
    session_store_find_subscribers(s, 0, &all);
    const bool done = session_store_subscribe_some(s, &all, &whole);
    ASSERT(done);
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
