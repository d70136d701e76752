// This server's record: a lease, a name that no living server has, then a write whenever it says
// something new. Loop thread only.
#include "server/fleet/fleet_internal.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"

enum { TRY_AGAIN_MS = 500 }; // time between two tries to join

static void fail(fleet *f, status s, const char *text)
{
    error err;
    (void)error_set(&err, s, "fleet: %s", text);
    f->announced = true;
    f->state = MEMBER_LEAVING;
    f->options.handler.failed(f->options.handler.context, &err);
}

static void wait_to_join(fleet *f, const char *why)
{
    snprintf(f->why, sizeof f->why, "%s", why);
    f->state = MEMBER_WAITING;
    f->next_ms = uv_now(f->loop) + TRY_AGAIN_MS;
}

static void lose(fleet *f, const char *text)
{
    log_error("fleet: %s", text);
    f->options.handler.lost(f->options.handler.context, text);
}

static node_record make_record(const fleet *f)
{
    fleet_load load = {0};
    node_record r = {.engine = f->options.engine, .draining = f->draining};
    f->options.handler.load(f->options.handler.context, &load);
    snprintf(r.address, sizeof r.address, "%s", f->options.address);
    snprintf(r.http, sizeof r.http, "%s", f->options.http);
    memcpy(r.run, f->run, sizeof r.run);
    snprintf(r.peer, sizeof r.peer, "%s", f->options.peer);
    r.lateness_ms = load.lateness_ms;
    r.worlds = load.worlds;
    r.sessions = load.sessions;
    r.free_memory = load.free_memory;
    return r;
}

// Another process has the name: the lease of the last process with this name may still have to end,
// unless its record changes meanwhile.
static void meet_other(fleet *f, const store_entry *e)
{
    node_record other;
    char text[ERROR_TEXT_MAX];
    error err;
    if (node_record_read(e->value, e->value_size, &other, &err) != STATUS_OK) {
        snprintf(text, sizeof text, "the record of server '%s' cannot be read: %.100s",
                 f->options.node, err.text);
    } else {
        snprintf(text, sizeof text,
                 "another process is server '%s', at %s: each server needs a name of its own "
                 "(--node)",
                 f->options.node, other.address);
    }
    if (f->announced) {
        lose(f, text);
    } else if (f->other_revision != 0 && e->modified != f->other_revision) {
        fail(f, STATUS_ALREADY_EXISTS, text);
    } else {
        f->other_revision = e->modified;
        wait_to_join(f, text);
    }
}

static void put_node(fleet *f, int64_t modified);

// Living servers that are known, without this one.
static uint32_t others(const fleet *f)
{
    return f->nodes.count - (fleet_view_node(f, f->options.node) != NULL ? 1 : 0);
}

static bool is_own_record(const fleet *f, const store_entry *e)
{
    node_record r;
    return node_record_read(e->value, e->value_size, &r, NULL) == STATUS_OK &&
           strcmp(r.run, f->run) == 0;
}

// Logs when etcd stops or starts to answer. `why` NULL: it answers.
static void note_answered(fleet *f, const char *why)
{
    if (f->announced && f->unanswered != (why != NULL)) {
        log_warn("fleet: etcd %s%s", why != NULL ? "does not answer: " : "answers again",
                 why != NULL ? why : "");
    }
    f->unanswered = why != NULL;
    if (why != NULL) {
        snprintf(f->why, sizeof f->why, "%s", why);
    }
}

static void on_node_written(void *context, const store_answer *answer)
{
    fleet *f = context;
    f->writing = false;
    if (f->state == MEMBER_LEAVING) {
        return;
    }
    note_answered(f, answer->status != STATUS_OK ? answer->text : NULL);
    if (answer->status != STATUS_OK) {
        f->doubted = true;
        if (f->state != MEMBER_THERE) {
            wait_to_join(f, answer->text);
        }
        return;
    }
    if (!answer->written) {
        const store_entry *e = &answer->entries->data[0];
        if (e->value != NULL && is_own_record(f, e)) {
            put_node(f, e->modified); // an earlier write's answer was lost
        } else if (e->value != NULL) {
            meet_other(f, e);
        } else { // the lease has expired: this process was away for too long
            wait_to_join(f, "its lease has expired");
        }
        return;
    }
    f->node_revision = answer->revision;
    f->state = MEMBER_THERE;
    if (!f->announced) {
        f->announced = true;
        log_info("fleet: this is server '%s' of '%s'; others there: %u", f->options.node,
                 f->options.prefix, others(f));
        f->options.handler.joined(f->options.handler.context);
    }
}

static void put_node(fleet *f, int64_t modified)
{
    char text[RECORD_SIZE_MAX];
    error err;
    f->written = make_record(f);
    const store_op op = {.key = f->node_key,
                         .modified = modified,
                         .value = text,
                         .value_size = node_record_write(&f->written, text),
                         .lease = f->lease};
    f->check_ms = uv_now(f->loop) + FLEET_CHECK_MS;
    f->writing = store_transact(f->store, &op, 1, on_node_written, f, &err) == STATUS_OK;
    f->doubted = !f->writing;
}

static void on_leased(void *context, const store_answer *answer)
{
    fleet *f = context;
    if (f->state != MEMBER_LEASING) {
        return;
    }
    if (answer->status != STATUS_OK) {
        wait_to_join(f, answer->text);
        return;
    }
    f->lease = answer->lease;
    f->state = MEMBER_WRITING;
    put_node(f, 0);
}

static void on_kept(void *context, const store_answer *answer)
{
    fleet *f = context;
    f->keeping = false;
    if (f->state != MEMBER_THERE) {
        return;
    }
    if (answer->status == STATUS_NOT_FOUND) {
        log_warn("fleet: the lease of server '%s' has expired: requesting a new one",
                 f->options.node);
        wait_to_join(f, answer->text);
    } else {
        note_answered(f, answer->status != STATUS_OK ? answer->text : NULL);
    }
}

static void ask_lease(fleet *f)
{
    error err;
    f->state = MEMBER_LEASING;
    if (store_lease_grant(f->store, FLEET_LEASE_S, on_leased, f, &err) != STATUS_OK) {
        wait_to_join(f, err.text);
    }
}

// Whether the record is to be written again: it says something new, or the store may have another
// one, or it is time to try the watch.
static bool wants_write(fleet *f, uint64_t now_ms)
{
    if (f->writing || now_ms < f->look_ms) {
        return false;
    }
    f->look_ms = now_ms + FLEET_LOOK_MS;
    const node_record r = make_record(f);
    return f->doubted || now_ms >= f->check_ms || node_record_is_new(&f->written, &r);
}

static void refresh(fleet *f, uint64_t now_ms)
{
    error err;
    if (wants_write(f, now_ms)) {
        put_node(f, f->node_revision);
    }
    if (!f->keeping && now_ms >= f->keep_ms) {
        f->keep_ms = now_ms + FLEET_KEEP_MS;
        f->keeping = store_lease_keep(f->store, f->lease, on_kept, f, &err) == STATUS_OK;
    }
}

// Handles a record of this server's name that is not its last write, or a missing one: the next
// write finds out why.
void fleet_member_see(fleet *f, const char *node, int64_t revision)
{
    if (strcmp(node, f->options.node) == 0 && !f->writing && revision > f->node_revision) {
        f->doubted = true;
        f->look_ms = 0;
    }
}

// Tells at once why the server has not joined yet, as it tries on for long.
static void tell_trouble(fleet *f, uint64_t now_ms)
{
    const char *why = store_trouble(f->store);
    if (*why == '\0' && f->state == MEMBER_WAITING) {
        why = f->why;
    } else if (*why == '\0' && now_ms - f->begun_ms >= FLEET_SILENT_MS) {
        why = "etcd has not answered yet";
    }
    if (*why != '\0' && now_ms >= f->tell_ms) {
        f->tell_ms = now_ms + FLEET_TELL_MS;
        log_warn("fleet: %s; trying again for %llu s", why,
                 (unsigned long long)(f->begun_ms + FLEET_JOIN_MS - now_ms + 999) / 1000);
    }
}

void fleet_member_pulse(fleet *f, uint64_t now_ms)
{
    if (!f->announced && now_ms - f->begun_ms >= FLEET_JOIN_MS) {
        char why[ERROR_TEXT_MAX];
        snprintf(why, sizeof why, "%s", *f->why != '\0' ? f->why : "etcd does not answer");
        fail(f, STATUS_UNAVAILABLE, why);
        return;
    }
    if (!f->announced) {
        tell_trouble(f, now_ms);
    }
    if (f->state == MEMBER_NEW && f->has_view) {
        ask_lease(f);
    } else if (f->state == MEMBER_WAITING && now_ms >= f->next_ms) {
        ask_lease(f);
    } else if (f->state == MEMBER_THERE) {
        refresh(f, now_ms);
    }
}
