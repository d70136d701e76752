// The identity and the rights of a session: the one place where a call is checked against role,
// worlds and areas.
//
// Without keys every session is an admin. With keys a session begins as `none`, and the token of a
// hello gives it the rights of its grant until the token expires; a later token of the same subject
// replaces the grant. Where there are guests (--guests), a hello without a token gives a session a
// grant of that role, with a subject of its own that nobody can guess and that does not expire. The
// owners of bodies and joints are checked by the world, which has the table of owners
// (common/world/owners.h). Network thread only.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "common/geometry/shape.h"
#include "common/world/command_memory.h"
#include "server/base/audit.h"
#include "server/base/clock.h"
#include "server/base/metrics.h"
#include "server/session/calls/rights.h"
#include "server/session/calls/fleet_list.h"
#include "server/session/identity/secret.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/session/sessions.h"

_Static_assert((int)STANDING_KEY_BYTES == (int)DIGEST_BYTES, "a key's digest");
_Static_assert(OWNER_BYTES_MAX <= QUOTA_OWNER_NAME_MAX - 2,
               "a quota owner's name has room for its kind and a subject");

enum {
    // wrong tokens on one connection before it is closed: each costs a signature
    TOKENS_REFUSED_MAX = 3,
    PRICED_BYTES = 1024,   // bytes of a message that are decoded in the time of a plain request
    PRICED_VALUES = 32,    // values of such a message
    GUEST_BYTES = 16,      // random bytes in a guest's subject
    LARGE_VALUES = 1024,   // a message with more is paid for before it is decoded
    PRICED_ROWS = 2,       // rows of an answer that are written in that time
    STRANGER_VALUES = 1024 // values of a message before a token; a hello has about ten
};

static const char GUEST_PREFIX[] = "guest-";
_Static_assert(sizeof GUEST_PREFIX + 2 * GUEST_BYTES <= AUTH_SUBJECT_BYTES_MAX, "a subject");

// ---- identity

// Whether sessions have the rights of a grant, and none without one.
static bool has_grants(const server *s)
{
    return s->keys != NULL || s->guests != ROLE_NONE;
}

void rights_begin(session *s)
{
    ASSERT(s->identity.grant == NULL && s->identity.subject == NULL);
    s->identity.role = has_grants(s->server) ? ROLE_NONE : ROLE_ADMIN;
    s->identity.bounds = *s->server->limits;
}

void rights_end(session *s)
{
    grant_free(s->identity.grant);
    s->identity.grant = NULL;
    quota_owners_release(s->identity.subject);
    s->identity.subject = NULL;
    // batches waiting in worlds stay valid until the token expires or its key is removed
    standing_unref(s->identity.standing);
    s->identity.standing = NULL;
}

void rights_fall(session *s)
{
    standing_end(s->identity.standing);
    standing_unref(s->identity.standing);
    s->identity.standing = NULL;
}

void rights_move(session *to, session *from)
{
    ASSERT(to != from && to->server == from->server);
    rights_end(to);
    to->identity.grant = from->identity.grant;
    to->identity.subject = from->identity.subject;
    to->identity.role = from->identity.role;
    to->identity.bounds = from->identity.bounds;
    to->identity.standing = from->identity.standing;
    from->identity.standing = NULL;
    from->identity.grant = NULL;
    from->identity.subject = NULL;
    rights_begin(from);
    session_deal(to);
    rights_bound_input(to);
}

void rights_bound_input(session *s)
{
    const limits *l = s->server->limits;
    const bool stranger = rights_awaits_token(s);
    const bool less = stranger && l->stranger_bytes < l->message_bytes;
    s->intake.input.scanner.limits.bytes_max =
        (uint32_t)(less ? l->stranger_bytes : l->message_bytes);
    s->intake.input.scanner.limits.bytes_name = stranger ? NULL : "message_bytes";
    s->intake.input.scanner.limits.values_max =
        stranger ? (uint32_t)STRANGER_VALUES : scanner_limits_default().values_max;
}

const char *rights_subject(const session *s)
{
    return s->identity.grant != NULL ? s->identity.grant->subject : "";
}

bool rights_expired(const session *s)
{
    return s->identity.grant != NULL && clock_wall_s() >= s->identity.grant->expires;
}

bool rights_awaits_token(const session *s)
{
    return has_grants(s->server) && s->identity.grant == NULL;
}

status rights_read_token(session *s, const char *token, grant **out, error *err)
{
    *out = NULL;
    if (s->server->keys == NULL || token == NULL) {
        return STATUS_OK; // no token is required: it is ignored
    }
    status result = jwt_verify(auth_keys_set(s->server->keys), token, clock_wall_s(), out, err);
    metrics_add(result == STATUS_OK ? METRIC_tokens_accepted : METRIC_tokens_refused, 1);
    if (result != STATUS_OK && ++s->identity.tokens_refused >= TOKENS_REFUSED_MAX) {
        s->identity.tokens_exhausted = true;
    }
    return result;
}

grant *rights_guest(const session *s)
{
    if (s->server->guests == ROLE_NONE || s->identity.grant != NULL) {
        return NULL;
    }
    grant *g = grant_create();
    secret unguessable = secret_create();
    size_t length = strlen(strcpy(g->subject, GUEST_PREFIX));
    for (int i = 0; i < GUEST_BYTES; i++) {
        length += (size_t)snprintf(g->subject + length, sizeof g->subject - length, "%02x",
                                   unguessable.bytes[i]);
    }
    secret_wipe(&unguessable);
    g->guest = true;
    g->role = s->server->guests;
    g->expires = DBL_MAX; // a guest's grant ends with its session
    return g;
}

status rights_check_subject(const session *s, const grant *g, error *err)
{
    if (g != NULL && s->identity.grant != NULL &&
        strcmp(g->subject, s->identity.grant->subject) != 0) {
        return error_set(err, STATUS_PERMISSION_DENIED,
                         s->identity.grant->guest
                             ? "token: the session is a guest's: connect again, and say hello "
                               "with the token first"
                             : "token: its sub differs from the session's");
    }
    return STATUS_OK;
}

// Ends subscriptions that the new grant does not allow any more. It is not recorded which areas
// allowed a subscription, and worlds know its reader's role for messages to referees, so all of
// them end when the areas change, or when the session is no referee any more.
static void end_forbidden(session *s, bool all)
{
    for (uint32_t i = s->subscriptions.count; i > 0; i--) {
        if (i > s->subscriptions.count) {
            continue; // ending one of them has ended the session
        }
        const session_subscription *each = &s->subscriptions.data[i - 1];
        if (all || !grant_allows_world(s->identity.grant, each->world_name)) {
            worlds_forget(s->server, s->key, each->world); // all of them in that world
            session_world_closed(s, each->number, STATUS_PERMISSION_DENIED,
                                 "the session's new token does not allow it");
        }
    }
}

static bool same_areas(const grant *a, const grant *b)
{
    ASSERT((a->area_count == 0 || a->areas != NULL) && (b->area_count == 0 || b->areas != NULL));
    return a->area_count == b->area_count &&
           (a->area_count == 0 ||
            memcmp(a->areas, b->areas, a->area_count * sizeof *a->areas) == 0);
}

// A guest pays with its address: it may have as many subjects as it likes.
static void hold_subject(session *s)
{
    char name[QUOTA_OWNER_NAME_MAX + 1];
    ASSERT(s->identity.grant != NULL && *s->identity.grant->subject != '\0');
    // A prefix separates subjects from addresses
    snprintf(name, sizeof name, "s %s", s->identity.grant->subject);
    quota_owners_release(s->identity.subject);
    s->identity.subject = NULL;
    if (s->identity.grant->guest) {
        return;
    }
    s->identity.subject = quota_owners_hold(
        &s->server->quota_owners, name, (double)s->identity.bounds.requests_per_second,
        (double)s->identity.bounds.request_burst, uv_now(s->server->loop));
}

// Requests of the session that wait in worlds rest on this.
static standing_basis standing_of(const session *s)
{
    const grant *g = s->identity.grant;
    return (standing_basis){.server = s->server,
                            .session = s->key.number,
                            .expires = g != NULL ? g->expires : 0.0,
                            .key = g != NULL && g->has_key ? g->key : NULL};
}

void rights_take(session *s, grant *g)
{
    if (g == NULL) {
        return;
    }
    grant *old = s->identity.grant;
    ASSERT(has_grants(s->server) && old != g);
    ASSERT(old == NULL || strcmp(old->subject, g->subject) == 0); // rights_check_subject()
    s->identity.grant = g;
    s->identity.role = g->role;
    s->identity.bounds = grant_lower(g, s->server->limits);
    hold_subject(s);
    session_deal(s);
    rights_bound_input(s);
    if (old != NULL && (g->role < old->role || !same_areas(old, g) || !grant_covers(g, old))) {
        rights_fall(s); // greater rights had allowed its waiting batches
    }
    const standing_basis basis = standing_of(s);
    standing_renew(s->identity.standing, &basis);
    if (old != NULL) {
        end_forbidden(s,
                      !same_areas(old, g) || (old->role >= ROLE_REFEREE && g->role < ROLE_REFEREE));
    }
    grant_free(old);
}

// ---- keys that are removed

static bool set_has(const void *set, const uint8_t *key)
{
    return jwk_set_has(set, key);
}

static bool end_without_key(session *one, const server *s)
{
    static const char WHY[] = "the key of the session's token was removed";
    const grant *g = one->identity.grant;
    if (session_is_over(one) || g == NULL || !g->has_key ||
        jwk_set_has(auth_keys_set(s->keys), g->key)) {
        return false;
    }
    log_debug("session %llu ends: %s", (unsigned long long)one->key.number, WHY);
    one->server->keyless++;
    rights_fall(one);
    if (one->connection != NULL) {
        session_close(one, STATUS_UNAUTHENTICATED, WHY, ENDING_FLUSH);
    } else {
        resume_end(one);
    }
    return true;
}

static void check_key(session *one, server *s)
{
    (void)end_without_key(one, s);
}

bool rights_key_gone(session *s)
{
    return turn_job_queued(&s->server->key_check.job) && end_without_key(s, s->server);
}

// One line for all: each would wait for the reader of the log.
static void log_keyless(server *s)
{
    if (s->keyless > 0) {
        log_info("%llu %s: the key of %s was removed",
                 COUNTED(s->keyless, "session ends", "sessions end"),
                 s->keyless == 1 ? "its token" : "their tokens");
        s->keyless = 0;
    }
}

void rights_check_keys(server *s, bool served)
{
    standing_end_keys(s, set_has, auth_keys_set(s->keys)); // also of ended sessions
    if (served) {
        session_walk_begin(&s->key_check, s, check_key, log_keyless);
    } else {
        session_walk_whole(s, check_key, log_keyless);
    }
}

// ---- permission

status rights_check_role(const session *s, method m, error *err)
{
    if (s->identity.role >= method_role(m)) {
        return STATUS_OK;
    }
    if (rights_awaits_token(s)) {
        return error_set(err, STATUS_UNAUTHENTICATED,
                         "%s needs the role %s: say hello with a token first", method_wire_name(m),
                         role_name(method_role(m)));
    }
    return error_set(err, STATUS_PERMISSION_DENIED, "%s needs the role %s, this session is %s",
                     method_wire_name(m), role_name(method_role(m)), role_name(s->identity.role));
}

bool rights_confined(const session *s)
{
    return s->identity.grant != NULL && s->identity.grant->area_count > 0;
}

bool rights_allows_world(const session *s, const char *name)
{
    return s->identity.grant == NULL || grant_allows_world(s->identity.grant, name);
}

void rights_sign(session *s, request *r)
{
    if (method_has(r->command.method, TRAIT_EFFECT)) {
        if (s->identity.standing == NULL) {
            const standing_basis basis = standing_of(s);
            s->identity.standing = standing_create(&basis);
        }
        r->standing = standing_ref(s->identity.standing);
    }
    const char *subject = rights_subject(s);
    r->reply_to.subject = session_subject(s);
    r->actor.role = s->identity.role;
    r->actor.confined = rights_confined(s);
    ASSERT(strlen(subject) < sizeof r->actor.subject);
    memcpy(r->actor.subject, subject, strlen(subject) + 1);
    if (r->actor.confined) {
        area *areas =
            command_memory_take(&r->command.memory, s->identity.grant->area_count, sizeof *areas);
        memcpy(areas, s->identity.grant->areas, s->identity.grant->area_count * sizeof *areas);
        r->actor.areas = areas;
        r->actor.area_count = s->identity.grant->area_count;
    }
    const grant *held = s->identity.grant;
    if (held != NULL && held->players.fields != 0) {
        players_bounds *players = command_memory_take(&r->command.memory, 1, sizeof *players);
        *players = held->players;
        r->actor.players = players;
    }
    command_own(&r->command, subject);
}

static status check_world(const session *s, const char *name, error *err)
{
    if (*name == '\0' || rights_allows_world(s, name)) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_PERMISSION_DENIED, "world '%s' is none of those of the token",
                     name);
}

// An admin of some worlds only may not see or end other people's sessions.
static status check_server(const session *s, const command *c, error *err)
{
    if (method_has(c->method, TRAIT_ALL_WORLDS) && s->identity.grant != NULL &&
        !s->identity.grant->all_worlds) {
        return error_set(err, STATUS_PERMISSION_DENIED,
                         "%s needs an admin of all worlds, the token names some",
                         method_wire_name(c->method));
    }
    return STATUS_OK;
}

// ---- limits of amounts

static uint64_t rows_worlds(const server *s)
{
    return s->worlds.by_name.count;
}

static uint64_t rows_sessions(const server *s)
{
    return sessions_listed_max(s);
}

static uint64_t rows_fleet(const server *s)
{
    return s->options->fleet != NULL ? fleet_list_rows(s->options->fleet) : 0;
}

typedef uint64_t rows_function(const server *s);
#define COUNT_ROWS(id, rows) [METHOD_##id] = rows_##rows,
static rows_function *const ROWS[METHOD_COUNT] = {METHOD_ROWS(COUNT_ROWS)};

// The price of a request to the network thread, in plain requests; its world measures its own cost.
static double price_of(const session *s, method m, size_t size)
{
    const uint64_t values = s->intake.input.scanner.values;
    const double price = method_price(m);
    if (price > 0.0) {
        return price + (ROWS[m] != NULL ? (double)ROWS[m](s->server) / PRICED_ROWS : 0.0);
    }
    return 1.0 + (double)size / PRICED_BYTES +
           (values > 2 * PRICED_VALUES ? (double)values / PRICED_VALUES : 0.0);
}

quota_owner *rights_quota_owner(const session *s)
{
    return s->identity.subject != NULL ? s->identity.subject : s->identity.address;
}

uint64_t rights_dealt_to(const session *s)
{
    const quota_owner *with = rights_quota_owner(s);
    return with != NULL ? with->number : UINT64_C(1) << 63 | s->key.number;
}

const memory_holder *rights_holding(const session *s)
{
    const quota_owner *of = rights_quota_owner(s);
    return of != NULL ? of->memory : s->identity.memory;
}

memory_holder *rights_holder(session *s)
{
    quota_owner *of = rights_quota_owner(s);
    if (of == NULL && s->identity.memory == NULL) {
        s->identity.memory = memory_holder_create();
    }
    return of != NULL ? of->memory : s->identity.memory;
}

// The quota owner that pays beside the connection. All strangers of one address pay together: a
// stranger gets another connection for nothing, but another token from nobody.
static quota_owner *payer_of(const session *s)
{
    return s->identity.subject != NULL || !rights_awaits_token(s) ? s->identity.subject
                                                                  : s->identity.address;
}

bool rights_pays_first(const session *s)
{
    return s->intake.input.scanner.values > LARGE_VALUES;
}

// Seconds until the next request of that price can be paid.
static double seconds_until(const session *s, const quota_owner *payer, double price)
{
    const double rate = (double)s->identity.bounds.requests_per_second;
    const double own = s->meter.asked.level;
    const double level = payer != NULL && payer->requests.level < own ? payer->requests.level : own;
    const double wanted = price < (double)s->identity.bounds.request_burst
                              ? price
                              : (double)s->identity.bounds.request_burst;
    return wanted > level ? (wanted - level) / rate : 0.0;
}

status rights_pay(session *s, method m, size_t size, bool *exhausted, error *err)
{
    double price = price_of(s, m, size);
    ASSERT(price > 0.0); // otherwise a client could send requests forever
    double rate = (double)s->identity.bounds.requests_per_second;
    double burst = (double)s->identity.bounds.request_burst;
    uint64_t now = uv_now(s->server->loop);
    bucket_answer answer = bucket_pay(&s->meter.asked, price, rate, burst, now);
    quota_owner *payer = payer_of(s);
    if (answer == BUCKET_PAID && payer != NULL) {
        answer = bucket_pay(&payer->requests, price, rate, burst, now);
    }
    if (answer == BUCKET_PAID) {
        return STATUS_OK;
    }
    *exhausted = answer == BUCKET_EXHAUSTED;
    metrics_add(METRIC_requests_limited, 1);
    return error_set(err, STATUS_LIMIT_EXCEEDED,
                     "requests_per_second: more than %llu a second, and %llu at once; this one "
                     "counts for %.0f, again in %.3g s",
                     (unsigned long long)s->identity.bounds.requests_per_second,
                     (unsigned long long)s->identity.bounds.request_burst, price,
                     seconds_until(s, payer, price));
}

// ---- refusals

void rights_audit(const session *s, const error *err)
{
    bool limited = err->status == STATUS_LIMIT_EXCEEDED;
    if (err->status == STATUS_PERMISSION_DENIED) {
        metrics_add(METRIC_refused_permission, 1);
    } else if (err->status == STATUS_UNAUTHENTICATED) {
        metrics_add(METRIC_refused_unauthenticated, 1);
    } else if (!limited) {
        return;
    }
    audit_refusal(s->key.number, rights_subject(s),
                  s->connection != NULL ? connection_peer_name(s->connection) : NULL, err->status,
                  err->text);
}

// ---- areas

static area box_around(area a, vec2d p)
{
    return (area){fmin(a.x0, p.x), fmin(a.y0, p.y), fmax(a.x1, p.x), fmax(a.y1, p.y)};
}

static area box_widened(area a, double by)
{
    return (area){a.x0 - by, a.y0 - by, a.x1 + by, a.y1 + by};
}

// The place of a form whose origin may be anywhere in the area.
static area box_grown(area a, const shape_geometry *form)
{
    const aabb box = shape_aabb(form, TRANSFORM_IDENTITY);
    return (area){a.x0 + (double)box.lower.x, a.y0 + (double)box.lower.y,
                  a.x1 + (double)box.upper.x, a.y1 + (double)box.upper.y};
}

static area overlap_area(const query_overlap_args *q)
{
    const area origin = {0};
    switch (q->of) {
    case OVERLAP_AREA:
        return q->area;
    case OVERLAP_POINT:
        return (area){q->point.x, q->point.y, q->point.x, q->point.y};
    case OVERLAP_SHAPE:
        break;
    }
    return box_grown(origin, &q->shape);
}

static status check_area(const grant *g, const area *a, error *err)
{
    return grant_allows_area(g, a)
               ? STATUS_OK
               : error_set(err, STATUS_PERMISSION_DENIED,
                           "area: must lie within one of the %u areas of the token", g->area_count);
}

// Checks a subscription's area; without one, the token's only area is used. A view that follows a
// body may go anywhere: its world intersects the content with the token's areas.
static status check_view(const grant *g, bool *has_area, area *view, bool follows, error *err)
{
    if (!*has_area && g->area_count == 1) {
        *has_area = true;
        *view = g->areas[0];
    }
    if (!*has_area) {
        return error_set(err, STATUS_PERMISSION_DENIED,
                         "area: must be given, the token has %llu %s",
                         COUNTED(g->area_count, "area", "areas"));
    }
    return follows ? STATUS_OK : check_area(g, view, err);
}

void rights_limit_token_areas(const session *s, command *c)
{
    const grant *g = s->identity.grant;
    if (c->method == METHOD_WORLD_SUBSCRIBE && g != NULL && g->area_count > 0) {
        area *areas = command_memory_take(&c->memory, g->area_count, sizeof *areas);
        memcpy(areas, g->areas, g->area_count * sizeof *areas);
        c->subscribe.token_areas = areas;
        c->subscribe.token_area_count = g->area_count;
    }
}

static status token_areas_unsubscribe(const grant *g, command *c, error *err)
{
    (void)g, (void)c, (void)err;
    return STATUS_OK;
}

static status token_areas_view(const grant *g, command *c, error *err)
{
    return check_view(g, &c->view.has_area, &c->view.area, c->view.follow != 0, err);
}

static status refuse_token_areas(const command *c, error *err)
{
    return error_set(err, STATUS_PERMISSION_DENIED, "%s may show things outside the token's areas",
                     method_wire_name(c->method));
}

static status token_areas_subscribe(const grant *g, command *c, error *err)
{
    if (c->subscribe.encoding != ENCODING_PLAIN && c->subscribe.encoding != ENCODING_PACKED) {
        return refuse_token_areas(c, err);
    }
    if (c->subscribe.data_count > 0) {
        return error_set(err, STATUS_PERMISSION_DENIED,
                         "data: may show things outside the token's areas");
    }
    return check_view(g, &c->subscribe.has_area, &c->subscribe.area, c->subscribe.follow != 0, err);
}

static status token_areas_overlap(const grant *g, command *c, error *err)
{
    const area asked = overlap_area(&c->overlap);
    return check_area(g, &asked, err);
}

typedef status token_areas_function(const grant *g, command *c, error *err);
#define SEE(id, name) [METHOD_##id] = token_areas_##name,
static token_areas_function *const TOKEN_AREAS[METHOD_COUNT] = {METHOD_TOKEN_AREAS(SEE)};

// The place that a read shows (shows_place of the schema): the box around its points, grown by a
// radius or by a form. False: the schema names none.
static bool shown_place(const command *c, area *out)
{
    area place = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    switch (c->method) {
#define SHOWN_POINT(p)   place = box_around(place, (p));
#define SHOWN_RADIUS(r)  place = box_widened(place, (r));
#define SHOWN_FORM(form) place = box_grown(place, &(form));
#define SHOWN(id, parts)                                                                           \
    case METHOD_##id:                                                                              \
        parts break;
        METHOD_SHOWN_PLACES(SHOWN)
#undef SHOWN
    default:
        return false;
    }
    *out = place;
    return true;
}

// For sessions with token areas. A method that shows bodies is refused if it has no rule here and
// the schema does not say which place it shows.
static status check_token_areas(const grant *g, command *c, error *err)
{
    area place;
    ASSERT(g->area_count > 0 && (unsigned)c->method < METHOD_COUNT);
    if (TOKEN_AREAS[c->method] != NULL) {
        return TOKEN_AREAS[c->method](g, c, err);
    }
    return shown_place(c, &place) ? check_area(g, &place, err) : refuse_token_areas(c, err);
}

static bool shows_bodies(method m)
{
    return method_has(m, TRAIT_SHOWS);
}

static status check_areas(const session *s, command *c, error *err)
{
    if (s->identity.grant == NULL || s->identity.grant->area_count == 0) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; c->method == METHOD_WORLD_APPLY && i < c->apply.count; i++) {
        command *inner = &c->apply.commands[i];
        if (shows_bodies(inner->method) &&
            check_token_areas(s->identity.grant, inner, err) != STATUS_OK) {
            error_prefix(err, "commands[%u]", i);
            return STATUS_PERMISSION_DENIED;
        }
    }
    return shows_bodies(c->method) ? check_token_areas(s->identity.grant, c, err) : STATUS_OK;
}

status rights_permit(const session *s, command *c, error *err)
{
    // this checks each command of a batch too
    status result = command_permit(c, s->identity.role, err);
    if (result == STATUS_OK) {
        result = check_world(s, c->world, err);
    }
    if (result == STATUS_OK && c->method == METHOD_WORLD_FORK) {
        result = check_world(s, c->fork.as, err);
    }
    if (result == STATUS_OK) {
        result = check_server(s, c, err);
    }
    if (result == STATUS_OK) {
        result = check_areas(s, c, err);
    }
    if (result == STATUS_OK) {
        rights_limit_token_areas(s, c);
    }
    return result;
}
