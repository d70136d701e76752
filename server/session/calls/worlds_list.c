// world.list: asks the worlds once for all waiting clients, and builds the answer in the order of
// the names.
//
// One survey is in progress at a time (and one more for sessions with token areas, which are shown
// less). A request that comes meanwhile waits for the next survey, which begins after it. So ten
// thousand requests cost the worlds as much as one. Asking and answering are jobs of a turn
// (work.h).
//
// A world in the middle of a long step does not answer soon. It has posted its figures before
// (served_world_expect), and these are shown after LATE_MS, unless a later reply of the world shows
// a later state: an answer is never older than a state that clients saw before their request. The
// world's own answer, when it comes, goes into the next survey. A world that is not restored within
// COMING_MS has a row that says so.
//
// Network thread.
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "server/session/calls/rights.h"
#include "server/session/calls/worlds_list.h"
#include "server/session/relay/upstreams.h"
#include "server/session/service.h"

enum {
    ASKED_AT_ONCE = 8, // worlds between two readings of the clock
    LATE_MS = 50,      // three ticks of 60 Hz
    COMING_MS = 1000   // wait for a world that is being restored
};

static void begin_survey(world_survey *v);

// ---- answers

static void pack_rows(const world_survey *v, const session *asker, buffer *out)
{
    msgpack_packer packer = buffer_packer(out);
    uint32_t found = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < v->rows.count; i++) {
            const survey_row *row = &v->rows.data[i];
            const bool shown =
                row->bytes.size > 0 && (asker == NULL || rights_allows_world(asker, row->name));
            found += shown && pass == 0 ? 1 : 0;
            if (shown && pass == 1) {
                buffer_append(out, row->bytes.data, row->bytes.size);
            }
        }
        if (pass == 0) {
            msgpack_pack_array(&packer, found);
        }
    }
    ASSERT(!out->overflow);
}

static shared_bytes *make_answer(const world_survey *v, const session *asker)
{
    buffer out;
    size_t size = 0;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    pack_rows(v, asker, &out);
    uint8_t *data = buffer_take(&out, &size);
    return bytes_take(data, size);
}

static void answer_asker(world_survey *v, const survey_asker *a)
{
    server *s = v->server;
    session *asker = server_find_session(s, a->session);
    if (asker == NULL) {
        return;
    }
    // a token that came meanwhile has changed its rights
    if (rights_confined(asker) != v->confined) {
        world_survey *other = &s->surveys[!v->confined];
        array_push(&other->waiting, *a);
        begin_survey(other);
        return;
    }
    ASSERT(asker->calls.in_flight > 0 && asker->calls.listings > 0);
    asker->calls.in_flight--;
    asker->calls.listings--;
    if (a->answerable && s->stage == SERVER_DRAINING) {
        error err;
        error_set(&err, STATUS_UNAVAILABLE, "%s", s->reason);
        session_answer_error(asker, a->id, &err);
    } else if (a->answerable) {
        const bool sees_all = asker->identity.grant == NULL || asker->identity.grant->all_worlds;
        if (sees_all && v->whole == NULL) {
            v->whole = make_answer(v, NULL);
        }
        shared_bytes *answer = sees_all ? bytes_ref(v->whole) : make_answer(v, asker);
        session_answer(asker, a->id, answer->data, answer->size, answer);
    }
    session_settle(asker);
}

static job_progress answer_some(turn_job *job, const turn *slice)
{
    world_survey *v = (world_survey *)job;
    ASSERT(v->under_way && v->left == 0);
    while (v->answered < v->asking.count) {
        answer_asker(v, &v->asking.data[v->answered++]);
        if (turn_over(slice)) {
            return JOB_GOES_ON;
        }
    }
    for (uint32_t i = 0; i < v->rows.count; i++) {
        ASSERT(!v->rows.data[i].awaited);
        buffer_deinit(&v->rows.data[i].bytes);
    }
    array_clear(&v->rows);
    array_clear(&v->asking);
    bytes_unref(v->whole);
    v->whole = NULL;
    v->under_way = false;
    uv_timer_stop(&v->server->late_lists[v->confined]);
    begin_survey(v);
    return JOB_DONE;
}

static void check_answered(world_survey *v)
{
    if (v->asked == v->rows.count && v->left == 0) {
        work_add(v->server, &v->job, answer_some, SERVER_SUBJECT);
    }
}

// ---- figures

static void keep(world_figures *f, const uint8_t *row, size_t size)
{
    bytes_unref(f->row);
    f->row = bytes_create(size);
    memcpy(f->row->data, row, size);
    f->row->size = size;
    f->fresh = true;
}

// The survey no longer waits for this world; `row` NULL: the world has ended.
static void tell_row(world_survey *v, const world_entry *entry, const shared_bytes *row)
{
    const uint32_t at = entry->figures[v->confined].at;
    if (!v->under_way || at >= v->rows.count || v->rows.data[at].number != entry->number ||
        !v->rows.data[at].awaited) {
        return; // the list was answered without this row
    }
    ASSERT(v->left > 0);
    v->rows.data[at].awaited = false;
    v->left--;
    if (row != NULL) {
        buffer_append(&v->rows.data[at].bytes, row->data, row->size);
    }
    check_answered(v);
}

void worlds_listed(server *s, world_entry *entry, reply *r)
{
    world_survey *v = r->reply_to.context;
    world_figures *f = &entry->figures[v->confined];
    size_t size = 0;
    const uint8_t *row = reply_payload(r, &size);
    (void)s;
    f->asked = false;
    if (r->status == STATUS_OK) {
        keep(f, row, size);
    }
    tell_row(v, entry, r->status == STATUS_OK ? f->row : NULL);
}

void worlds_figured(world_entry *entry, const reply *r)
{
    keep(&entry->figures[0], r->payload->data, r->payload->size);
    keep(&entry->figures[1], r->tail->data, r->tail->size);
}

void worlds_outdate(world_entry *entry)
{
    entry->figures[0].fresh = entry->figures[1].fresh = false;
}

// Writes the row of a world that is not served: its name and its place in the log are known.
void worlds_encode_broken(buffer *out, const world_entry *entry, const char *why)
{
    const world_status told = {.world = entry->name,
                               .epoch = entry->number,
                               .tick = entry->tick,
                               .def = world_def_default(),
                               .paused = true,
                               .durability = (durability)entry->durability,
                               .unavailable = why};
    encode_world_status(out, &told);
}

static void tell_coming(world_survey *v, const world_entry *entry)
{
    buffer row;
    size_t size = 0;
    buffer_init(&row, WIRE_REPLY_BYTES_MAX);
    worlds_encode_broken(&row, entry, "is being restored: ask again");
    uint8_t *data = buffer_take(&row, &size);
    shared_bytes *told = bytes_take(data, size);
    tell_row(v, entry, told);
    bytes_unref(told);
}

static void on_late(uv_timer_t *timer)
{
    server *s = timer->data;
    world_survey *v = &s->surveys[timer - s->late_lists];
    const bool coming_over = uv_now(s->loop) - v->begun_ms >= COMING_MS;
    for (uint32_t i = 0; i < v->rows.count && v->left > 0; i++) {
        const survey_row *row = &v->rows.data[i];
        const world_entry *entry =
            row->awaited ? directory_find_number(&s->worlds, row->number) : NULL;
        if (entry != NULL && entry->figures[v->confined].fresh) {
            tell_row(v, entry, entry->figures[v->confined].row);
        } else if (entry != NULL && entry->coming && coming_over) {
            tell_coming(v, entry);
        }
    }
}

// ---- questions

void worlds_tell_broken(const call *c, const world_entry *entry)
{
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    worlds_encode_broken(&out, entry, directory_reason(entry, rights_confined(c->session)));
    if (c->answerable) {
        session_answer(c->session, c->id, out.data, out.size, NULL);
    }
    buffer_deinit(&out);
}

static void ask_world(world_survey *v, uint32_t at)
{
    survey_row *row = &v->rows.data[at];
    world_entry *entry = directory_find_number(&v->server->worlds, row->number);
    if (entry == NULL || entry->unnamed) {
        return; // the session has ended meanwhile
    }
    if (v->server->stage == SERVER_DRAINING) {
        return; // its thread stops, and would never answer
    }
    if (entry->broken != NULL) {
        worlds_encode_broken(&row->bytes, entry, directory_reason(entry, v->confined));
        return;
    }
    world_figures *f = &entry->figures[v->confined];
    row->awaited = true;
    f->at = at;
    v->left++;
    if (f->asked) {
        return; // an earlier survey asked: the answer will show the present state
    }
    command ask = {.method = METHOD_WORLD_LIST};
    request *r = worlds_request(NULL, entry, &ask);
    r->reply_to.context = v;
    r->actor.confined = v->confined;
    f->asked = true;
    worlds_count_in(v->server, entry, r);
    worlds_deliver(entry, r);
}

static job_progress ask_some(turn_job *job, const turn *slice)
{
    world_survey *v = (world_survey *)job;
    ASSERT(v->under_way && v->answered == 0);
    while (v->asked < v->rows.count) {
        ask_world(v, v->asked++);
        if (v->asked % ASKED_AT_ONCE == 0 && v->asked < v->rows.count && turn_over(slice)) {
            return JOB_GOES_ON;
        }
    }
    check_answered(v);
    return JOB_DONE;
}

static void add_row(world_survey *v, const char *name, uint64_t number, const upstream_row *shown)
{
    survey_row row = {.number = number};
    memcpy(row.name, name, strlen(name) + 1);
    buffer_init(&row.bytes, shown != NULL ? RELAY_ROW_BYTES_MAX : WIRE_MESSAGE_BYTES_MIN);
    if (shown != NULL) {
        buffer_append(&row.bytes, shown->bytes, shown->size);
    }
    array_push(&v->rows, row);
}

// Those of the directory, and at a relay those of its upstream that it does not follow, as the
// upstream last listed them. A session with token areas is not shown the latter: their rows have
// more than it may see.
static void note_rows(world_survey *v)
{
    const directory *d = &v->server->worlds;
    uint32_t far_count = 0;
    const upstream_row *far_rows = upstreams_rows(v->server, &far_count);
    uint32_t far = v->confined ? far_count : 0;
    for (uint32_t i = 0; i < d->by_name.count || far < far_count;) {
        const world_entry *entry = i < d->by_name.count ? d->by_name.data[i] : NULL;
        const upstream_row *row = far < far_count ? &far_rows[far] : NULL;
        const int order = entry == NULL ? 1 : row == NULL ? -1 : strcmp(entry->name, row->name);
        if (order <= 0) {
            add_row(v, entry->name, entry->number, NULL);
            i++;
            far += order == 0 ? 1 : 0;
        } else {
            add_row(v, row->name, 0, row); // no world has the number 0: none is asked
            far++;
        }
    }
}

static void begin_survey(world_survey *v)
{
    if (v->under_way || v->waiting.count == 0) {
        return;
    }
    ASSERT(v->rows.count == 0 && v->asking.count == 0 && v->whole == NULL);
    v->under_way = true;
    v->begun_ms = uv_now(v->server->loop);
    v->asked = v->left = v->answered = 0;
    for (uint32_t i = 0; i < v->waiting.count; i++) {
        array_push(&v->asking, v->waiting.data[i]);
    }
    array_clear(&v->waiting);
    note_rows(v);
    uv_timer_start(&v->server->late_lists[v->confined], on_late, LATE_MS, LATE_MS);
    work_add(v->server, &v->job, ask_some, SERVER_SUBJECT);
}

status worlds_list(server *s, const call *c, error *err)
{
    session *asker = c->session;
    world_survey *v = &s->surveys[rights_confined(asker)];
    if (s->stage == SERVER_DRAINING) {
        return error_set(err, STATUS_UNAVAILABLE, "%s", s->reason);
    }
    if (asker->calls.listings >= LISTINGS_MAX) {
        return error_set(
            err, STATUS_LIMIT_EXCEEDED,
            "world.list: %d of this session are being answered already; await one of them",
            LISTINGS_MAX);
    }
    asker->calls.in_flight++;
    asker->calls.listings++;
    survey_asker added = {.session = asker->key, .id = c->id, .answerable = c->answerable};
    array_push(&v->waiting, added);
    begin_survey(v);
    return STATUS_OK;
}

// Both lists: a session that asked for one may change to the other kind before it is answered.
void worlds_list_init(server *s)
{
    for (int i = 0; i < 2; i++) {
        s->surveys[i].server = s;
        s->surveys[i].confined = i == 1;
        uv_timer_init(s->loop, &s->late_lists[i]);
        s->late_lists[i].data = s;
    }
}

void worlds_list_deinit(server *s)
{
    for (int i = 0; i < 2; i++) {
        world_survey *v = &s->surveys[i];
        ASSERT(!v->under_way);
        array_free(&v->waiting);
        array_free(&v->asking);
        array_free(&v->rows);
    }
}
