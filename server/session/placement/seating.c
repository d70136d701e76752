// See seating.h. Network thread only.
#include "server/session/placement/seating.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/base/suggest.h"
#include "common/world/command_memory.h"
#include "common/world/seats.h"
#include "proto/encode/encode_pack.h"
#include "proto/log/log_record.h"
#include "server/base/audit.h"
#include "server/session/calls/rights.h"
#include "server/session/placement/templates.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/service.h"

// ---- seats of an entry

// In any state: a session that leaves and joins at once gets the same seat, so that a flood of both
// takes no second one.
static entry_seat *find_session(const world_entry *entry, uint64_t number)
{
    for (uint32_t i = 0; i < entry->seating.taken.count; i++) {
        entry_seat *one = &entry->seating.taken.data[i];
        if (one->session.number == number) {
            return one;
        }
    }
    return NULL;
}

static entry_seat *find_seat(const world_entry *entry, uint32_t seat)
{
    for (uint32_t i = 0; i < entry->seating.taken.count; i++) {
        if (entry->seating.taken.data[i].seat == seat) {
            return &entry->seating.taken.data[i];
        }
    }
    return NULL;
}

// Adds the lowest free seat, of which there must be one.
static entry_seat *add_seat(world_entry *entry, session_key of, const char *subject)
{
    world_seating *w = &entry->seating;
    ASSERT(w->taken.count < w->count && strlen(subject) <= OWNER_BYTES_MAX);
    uint32_t at = 0;
    while (at < w->taken.count && w->taken.data[at].seat == at + 1) {
        at++;
    }
    entry_seat made = {.seat = at + 1, .state = SEAT_JOINING, .session = of};
    memcpy(made.subject, subject, strlen(subject) + 1);
    array_insert(&w->taken, at, made);
    return &w->taken.data[at];
}

static void remove_seat(server *s, world_entry *entry, entry_seat *gone)
{
    world_seating *w = &entry->seating;
    const uint32_t at = (uint32_t)(gone - w->taken.data);
    ASSERT(at < w->taken.count);
    array_remove(&w->taken, at);
    w->free_since = uv_now(s->loop);
}

static bool is_joinable(const world_entry *entry, const char *template_name)
{
    return strcmp(entry->seating.template_name, template_name) == 0 && !entry->unnamed &&
           entry->broken == NULL;
}

// ---- templates

static const world_template *find_template(const server *s, const char *name)
{
    for (uint32_t i = 0; i < s->options->template_count; i++) {
        if (strcmp(s->options->templates[i].name, name) == 0) {
            return &s->options->templates[i];
        }
    }
    return NULL;
}

static status refuse_template(const server *s, const char *name, error *err)
{
    enum { NAMES_BYTES = 160 };
    char names[NAMES_BYTES] = "";
    if (s->options->template_count == 0) {
        return error_set(err, STATUS_NOT_FOUND,
                         "template '%s' does not exist: the server has none (caromd --template)",
                         name);
    }
    size_t at = 0;
    suggestion meant;
    char hint[SUGGEST_TEXT_MAX];
    suggest_begin(&meant, name, strlen(name));
    for (uint32_t i = 0; i < s->options->template_count; i++) {
        const char *other = s->options->templates[i].name;
        suggest_offer(&meant, other, strlen(other));
        const int size = at < sizeof names - 1 ? snprintf(names + at, sizeof names - at, "%s%s",
                                                          i > 0 ? ", " : "", other)
                                               : 0;
        at += size > 0 ? (size_t)size : 0;
    }
    return error_set(err, STATUS_NOT_FOUND, "template '%s' does not exist: the server has %s%s%s",
                     name, names, at >= sizeof names ? "…" : "", suggest_text(&meant, hint));
}

// ---- commands for the log

static void pack_seat(packer *k, const char *world, const char *template_name, const entry_seat *of,
                      bool has_data)
{
    const bool joins = template_name != NULL;
    pack_map(k, 3u + joins + has_data + has_text(of->subject));
    pair_text(k, "world", world);
    if (joins) {
        pair_text(k, "template", template_name);
    }
}

static void pack_rest(packer *k, const entry_seat *of, bool joins)
{
    if (joins) { // in the order of the method's arguments
        pair_uint(k, "seat", of->seat);
        pair_uint(k, "session", of->session.number);
    } else {
        pair_uint(k, "session", of->session.number);
        pair_uint(k, "seat", of->seat);
    }
    if (has_text(of->subject)) {
        pair_text(k, "subject", of->subject);
    }
}

// The request's arguments for the log are what the server decided, not what the client sent.
static void set_arguments(request *r, const char *template_name, const entry_seat *of)
{
    const bool joins = template_name != NULL;
    const bool has_data = joins && r->command.join.data != NULL;
    buffer out;
    buffer_init(&out, LOG_ARGUMENTS_BYTES_MAX);
    packer k = buffer_packer(&out);
    pack_seat(&k, r->command.world, template_name, of, has_data);
    if (has_data) {
        pack_text(&k, "data");
        buffer_append(&out, r->command.join.data, r->command.join.data_size);
    }
    pack_rest(&k, of, joins);
    ASSERT(!out.overflow);
    size_t size = 0;
    free(r->arguments);
    r->arguments = buffer_take(&out, &size);
    r->arguments_size = (uint32_t)size;
}

static const char *copy_subject(request *r, const entry_seat *of)
{
    return has_text(of->subject)
               ? command_memory_text(&r->command.memory, of->subject, strlen(of->subject))
               : NULL;
}

// A request that frees the seat; `c` is NULL for the server's own.
static request *leave_request(const call *c, world_entry *entry, const entry_seat *of)
{
    command leave = {.method = METHOD_WORLD_LEAVE};
    memcpy(leave.world, entry->name, sizeof leave.world);
    leave.leave.session = of->session.number;
    leave.leave.seat = of->seat;
    request *r = worlds_request(c, entry, &leave);
    r->command.leave.subject = copy_subject(r, of);
    r->subscription = of->seat;
    set_arguments(r, NULL, of);
    return r;
}

// Frees a seat on the server's behalf, regardless of limits on waiting requests.
static void free_unasked(server *s, world_entry *entry, entry_seat *of)
{
    ASSERT(of->state == SEAT_TAKEN);
    of->state = SEAT_LEAVING;
    of->waiting++;
    audit_event("session %" PRIu64 " is gone: seat %" PRIu32 " of world '%s' becomes free",
                of->session.number, of->seat, entry->name);
    request *r = leave_request(NULL, entry, of);
    worlds_count_in(s, entry, r);
    worlds_deliver(entry, r);
}

// ---- joining

// The session's own seat in a world of the template; *where has it.
static entry_seat *own_seat(const server *s, const char *template_name, const char *world,
                            uint64_t number, world_entry **where)
{
    for (uint32_t i = 0; i < s->worlds.by_name.count; i++) {
        world_entry *entry = s->worlds.by_name.data[i];
        const bool meant = is_joinable(entry, template_name) &&
                           (*world == '\0' || strcmp(world, entry->name) == 0);
        entry_seat *found = meant ? find_session(entry, number) : NULL;
        if (found != NULL) {
            *where = entry;
            return found;
        }
    }
    return NULL;
}

static uint32_t count_seats(const server *s, uint64_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->worlds.by_name.count; i++) {
        count += find_session(s->worlds.by_name.data[i], number) != NULL;
    }
    return count;
}

static world_entry *choose(const server *s, const session *of, const char *template_name)
{
    world_entry *best = NULL;
    for (uint32_t i = 0; i < s->worlds.by_name.count; i++) {
        world_entry *entry = s->worlds.by_name.data[i];
        const world_seating *w = &entry->seating;
        if (!is_joinable(entry, template_name) || w->taken.count >= w->count ||
            !rights_allows_world(of, entry->name)) {
            continue;
        }
        const bool fuller = best == NULL || w->taken.count > best->seating.taken.count;
        const bool as_full = best != NULL && w->taken.count == best->seating.taken.count;
        if (fuller || (as_full && entry->number < best->number)) {
            best = entry;
        }
    }
    return best;
}

static status find_named(const session *asker, const command *join, world_entry **out, error *err)
{
    const server *s = asker->server;
    world_entry *entry = directory_find(&s->worlds, join->world);
    if (entry == NULL) {
        return worlds_absent(s, asker, join->world, err);
    }
    const world_seating *w = &entry->seating;
    if (*w->template_name == '\0') {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "world: '%s' has no seats, as no join made it", join->world);
    }
    if (strcmp(w->template_name, join->join.template_name) != 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "world: '%s' is of template '%s', not '%s'",
                         join->world, w->template_name, join->join.template_name);
    }
    if (w->taken.count >= w->count) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "seats: all %" PRIu32 " of world '%s' are taken", w->count, join->world);
    }
    *out = entry;
    return STATUS_OK;
}

// The first name of the template's that no world has.
static void name_world(const server *s, const char *template_name,
                       char out[WORLD_NAME_BYTES_MAX + 1])
{
    uint32_t number = 1;
    do {
        snprintf(out, WORLD_NAME_BYTES_MAX + 1, "%s-%" PRIu32, template_name, number++);
    } while (directory_find(&s->worlds, out) != NULL ||
             worlds_absent(s, NULL, out, NULL) == STATUS_MOVED);
}

// The maker of worlds that the session's joins make; 0: its joins are not bounded. A hash of its
// quota owner's name (FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/), as its number changes
// when nobody has used it for a while.
static uint64_t maker_of(const session *s)
{
    const quota_owner *of = rights_quota_owner(s);
    uint64_t hash = 14695981039346656037u;
    for (const char *text = of != NULL ? of->name : ""; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    }
    return of == NULL ? 0 : hash | 1;
}

// A share of what others leave: two makers cannot take all worlds.
static status check_share(const server *s, const session *of, error *err)
{
    const uint64_t maker = maker_of(of);
    const uint64_t all = s->worlds.by_number.count;
    uint64_t own = 0;
    if (maker == 0 || of->identity.role >= ROLE_REFEREE) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < all; i++) {
        own += s->worlds.by_number.data[i]->seating.maker == maker;
    }
    const uint64_t others = all - own;
    const uint64_t left = s->limits->worlds > others ? s->limits->worlds - others : 0;
    const uint64_t most = (left * s->limits->owner_share + 99) / 100; // the last one is for anybody
    return own < most
               ? STATUS_OK
               : error_set(err, STATUS_LIMIT_EXCEEDED,
                           "owner_share: joins of this subject or address have made %" PRIu64
                           " worlds that there still are; at most %" PRIu64 " may be one's now",
                           own, most);
}

static status make_world(server *s, const session *of, const world_template *t, world_entry **out,
                         error *err)
{
    char name[WORLD_NAME_BYTES_MAX + 1];
    name_world(s, t->name, name);
    if (!rights_allows_world(of, name)) {
        return error_set(err, STATUS_PERMISSION_DENIED,
                         "worlds: no world of template '%s' that the token names has a free seat, "
                         "and the token allows no new one ('%s-*' would)",
                         t->name, t->name);
    }
    const status allowed = check_share(s, of, err);
    if (allowed != STATUS_OK) {
        return allowed;
    }
    const status made = worlds_create_joined(s, t, name, maker_of(of), out, err);
    if (made == STATUS_OK) {
        audit_event("world '%s' of template '%s' is made for session %" PRIu64, name, t->name,
                    of->key.number);
    }
    return made;
}

static status refuse_given(const command *join, error *err)
{
    const char *given = join->join.seat != 0         ? "seat"
                        : join->join.session != 0    ? "session"
                        : join->join.subject != NULL ? "subject"
                                                     : NULL;
    return given == NULL ? STATUS_OK
                         : error_set(err, STATUS_INVALID_ARGUMENT,
                                     "%s: allowed in logs only; the server chooses the seat, and "
                                     "knows the session",
                                     given);
}

static status find_place(server *s, const call *c, const command *join, world_entry **out,
                         bool *created, error *err)
{
    const world_template *t = find_template(s, join->join.template_name);
    if (*join->world != '\0') {
        return find_named(c->session, join, out, err);
    }
    if (t == NULL) {
        return refuse_template(s, join->join.template_name, err);
    }
    *out = choose(s, c->session, t->name);
    *created = *out == NULL;
    return *created ? make_world(s, c->session, t, out, err) : STATUS_OK;
}

static request *join_request(const call *c, world_entry *entry, command *join, const entry_seat *of)
{
    char template_name[TEMPLATE_NAME_BYTES_MAX + 1];
    memcpy(join->world, entry->name, sizeof join->world);
    memcpy(template_name, entry->seating.template_name, sizeof template_name);
    join->join.seat = of->seat;
    join->join.session = of->session.number;
    request *r = worlds_request(c, entry, join);
    r->command.join.subject = copy_subject(r, of);
    r->subscription = r->command.join.again ? 0 : of->seat; // the answer contains it
    set_arguments(r, template_name, of);
    return r;
}

status seating_join(server *s, const call *c, command *join, error *err)
{
    const session_key key = c->session->key;
    const char *template_name = join->join.template_name;
    world_entry *entry = NULL;
    status result = refuse_given(join, err);
    if (result != STATUS_OK) {
        return result;
    }
    if (s->restoring.left > 0) { // the seats are known when all worlds are restored
        return error_set(err, STATUS_UNAVAILABLE,
                         "worlds are still being brought back: join again in a while");
    }
    entry_seat *seat = own_seat(s, template_name, join->world, key.number, &entry);
    if (seat != NULL && seat->state != SEAT_LEAVING) {
        join->join.again = true;
        return worlds_send(s, entry, join_request(c, entry, join, seat), err);
    }
    if (seat == NULL && count_seats(s, key.number) >= SEATS_PER_SESSION_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "seats: a session has at most %d",
                         SEATS_PER_SESSION_MAX);
    }
    const bool left = seat != NULL;
    if (!left) {
        result = find_place(s, c, join, &entry, &join->join.created, err);
        if (result != STATUS_OK) {
            return result;
        }
        seat = add_seat(entry, key, rights_subject(c->session));
    }
    const uint32_t number = seat->seat;
    seat->state = SEAT_JOINING;
    seat->waiting++;
    result = worlds_send(s, entry, join_request(c, entry, join, seat), err);
    if (result != STATUS_OK) {
        seat = find_seat(entry, number);
        seat->waiting--;
        seat->state = SEAT_LEAVING;
        if (!left) {
            remove_seat(s, entry, seat);
        }
    }
    return result;
}

// ---- leaving

status seating_leave(server *s, const call *c, command *leave, error *err)
{
    const uint64_t own = c->session->key.number;
    const uint64_t of = leave->leave.session != 0 ? leave->leave.session : own;
    if (leave->leave.seat != 0 || leave->leave.subject != NULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s: allowed in logs only; the server knows which seat the session has",
                         leave->leave.seat != 0 ? "seat" : "subject");
    }
    if (of != own && c->session->identity.role < ROLE_REFEREE) {
        return error_set(err, STATUS_PERMISSION_DENIED,
                         "session: only a referee or an admin frees another session's seat");
    }
    world_entry *entry = directory_find(&s->worlds, leave->world);
    if (entry == NULL) {
        return worlds_absent(c->session->server, c->session, leave->world, err);
    }
    entry_seat *seat = find_session(entry, of);
    if (seat == NULL || seat->state == SEAT_LEAVING) {
        return error_set(err, STATUS_NOT_FOUND, "session %" PRIu64 " has no seat in world '%s'", of,
                         leave->world);
    }
    const seat_state before = seat->state;
    const uint32_t number = seat->seat;
    seat->state = SEAT_LEAVING;
    seat->waiting++;
    const status sent = worlds_send(s, entry, leave_request(c, entry, seat), err);
    if (sent != STATUS_OK) {
        seat = find_seat(entry, number);
        seat->state = before;
        seat->waiting--;
    }
    return sent;
}

// Answers come in the order in which the world carried the requests out, so the last one says
// whether the seat is taken.
void seating_answered(server *s, world_entry *entry, const reply *r)
{
    entry_seat *seat = r->subscription != 0 ? find_seat(entry, (uint32_t)r->subscription) : NULL;
    if (seat == NULL) {
        return; // the seat was only asked for
    }
    ASSERT(seat->waiting > 0);
    if (--seat->waiting > 0) {
        return;
    }
    const bool done = r->status == STATUS_OK || r->took_effect;
    const bool joined = r->method == METHOD_WORLD_JOIN;
    if (joined ? !done : done || r->status == STATUS_NOT_FOUND) {
        remove_seat(s, entry, seat);
        return;
    }
    seat->state = SEAT_TAKEN; // after a leave that failed, too: the sweep tries again if need be
    if (joined && server_find_session(s, seat->session) == NULL && !entry->unnamed &&
        s->stage != SERVER_DRAINING) {
        free_unasked(s, entry, seat);
    }
}

void seating_end_session(session *s)
{
    server *of = s->server;
    if (of->stage == SERVER_DRAINING) {
        return; // the next process restores the session, or frees its seat
    }
    for (uint32_t i = 0; i < of->worlds.by_name.count; i++) {
        world_entry *entry = of->worlds.by_name.data[i];
        entry_seat *seat = find_session(entry, s->key.number);
        // While a join is under way the seat stays: it is left when the answer has arrived.
        if (seat != NULL && seat->state == SEAT_TAKEN) {
            free_unasked(of, entry, seat);
        }
    }
}

// ---- worlds

void seating_restored(server *s, world_entry *entry, const physics_world *world)
{
    world_seats seats;
    seats_of(world, &seats);
    const world_template *t = find_template(s, seats.template_name);
    world_seating *w = &entry->seating;
    memcpy(w->template_name, seats.template_name, sizeof w->template_name);
    w->count = seats.count;
    w->idle_ms = t != NULL ? t->idle_ms : TEMPLATE_IDLE_S * UINT64_C(1000);
    w->free_since = uv_now(s->loop);
    for (uint32_t i = 0; i < seats.taken.count; i++) {
        const world_seat *one = &seats.taken.data[i];
        entry_seat made = {.seat = one->seat, .state = SEAT_TAKEN, .session.number = one->session};
        for (uint32_t slot = 0; slot < s->sessions.count; slot++) {
            const session *of = s->sessions.data[slot];
            made.session = of != NULL && of->key.number == one->session ? of->key : made.session;
        }
        memcpy(made.subject, one->subject, sizeof made.subject);
        array_push(&w->taken, made);
    }
    world_seats_deinit(&seats);
}

static void free_orphans(server *s, world_entry *entry)
{
    for (uint32_t i = 0; i < entry->seating.taken.count; i++) {
        entry_seat *seat = &entry->seating.taken.data[i];
        if (seat->state == SEAT_TAKEN && server_find_session(s, seat->session) == NULL) {
            free_unasked(s, entry, seat);
        }
    }
}

void seating_sweep(server *s)
{
    const uint64_t now = uv_now(s->loop);
    if (s->stage == SERVER_DRAINING) {
        return;
    }
    for (uint32_t i = s->worlds.by_name.count; i > 0; i--) {
        world_entry *entry = s->worlds.by_name.data[i - 1];
        const world_seating *w = &entry->seating;
        if (*w->template_name == '\0' || entry->broken != NULL) {
            continue;
        }
        free_orphans(s, entry);
        if (w->taken.count == 0 && now - w->free_since >= w->idle_ms) {
            worlds_end_unasked(s, entry, "as its seats are free");
        }
    }
}
