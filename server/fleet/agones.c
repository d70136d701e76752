// Reports to the sidecar of Agones; see agones.h. Each kind of report is a duty: a value that the
// sidecar should have, the one that it has accepted, and the request under way.
#include "server/fleet/agones.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/fleet/posts.h"

enum { URL_MAX = 96, BODY_MAX = 64, MESSAGE_MAX = 160 };

typedef enum duty_kind {
    DUTY_STATE,
    DUTY_HEALTH,
    DUTY_WORLDS,
    DUTY_SESSIONS,
    DUTY_COUNT
} duty_kind;

// The values of DUTY_STATE.
enum { STATE_NONE, STATE_READY, STATE_ALLOCATED, STATE_SHUTDOWN };

static const char *const STATE_PATHS[] = {
    [STATE_READY] = "/ready", [STATE_ALLOCATED] = "/allocate", [STATE_SHUTDOWN] = "/shutdown"};

static const char *const COUNTERS[DUTY_COUNT] = {
    [DUTY_WORLDS] = "worlds", [DUTY_SESSIONS] = "sessions"};

typedef struct duty {
    struct agones *of;
    duty_kind kind;
    post *under_way;  // NULL: none
    int64_t asked;    // the value of the request under way
    int64_t accepted; // the last value that the sidecar accepted; -1: none
    uint64_t next_ms; // no request before that
    bool refused;     // the last answer was a refusal, which the log has
} duty;

struct agones {
    agones_options options;
    uv_loop_t *loop;
    uv_timer_t timer;
    posts *posts;
    duty duties[DUTY_COUNT];
    uint64_t answered_ms; // the last answer, or the beginning
    agones_figures figures;
    bool told;    // the log has that the sidecar does not answer
    bool stuck;   // the log has that health is not reported
    bool closing; // only the end is still to be reported
    uint64_t end_ms;
    uint32_t parts; // open: the timer and the posts
    void (*closed)(void *context);
    void *context;
};

// ---- answers

// The sidecar's own words in an answer, cut; "" if it is none of Agones'.
static bool read_answer(const post_end *end, char message[MESSAGE_MAX])
{
    json_t *root = json_loadb(end->body, end->size, 0, NULL);
    const char *text = json_string_value(json_object_get(root, "message"));
    snprintf(message, MESSAGE_MAX, "%s", text != NULL ? text : "");
    const bool is_object = json_is_object(root);
    json_decref(root);
    return is_object;
}

static void describe(const duty *d, char out[URL_MAX])
{
    if (d->kind == DUTY_STATE) {
        snprintf(out, URL_MAX, "%s", STATE_PATHS[d->asked]);
    } else if (d->kind == DUTY_HEALTH) {
        snprintf(out, URL_MAX, "/health");
    } else {
        snprintf(out, URL_MAX, "/v1beta1/counters/%s", COUNTERS[d->kind]);
    }
}

static void note_refused(duty *d, const post_end *end, const char *message, bool speaks)
{
    char path[URL_MAX];
    describe(d, path);
    d->of->figures.refused++;
    d->next_ms = uv_now(d->of->loop) + AGONES_REFUSED_MS;
    if (d->refused) {
        return;
    }
    d->refused = true;
    if (!speaks) {
        log_warn("agones: http://127.0.0.1:%u%s answers HTTP %ld, and not as Agones does",
                 d->of->options.port, path, end->code);
    } else if (COUNTERS[d->kind] != NULL && end->code == 404) {
        log_warn("agones: the GameServer has no counter '%s': spec.counters.%s of the Fleet's "
                 "template makes one",
                 COUNTERS[d->kind], COUNTERS[d->kind]);
    } else if (COUNTERS[d->kind] != NULL) {
        log_warn("agones: counter '%s' is not set to %" PRId64 ": HTTP %ld: %s", COUNTERS[d->kind],
                 d->asked, end->code, message);
    } else {
        log_warn("agones: %s was refused: HTTP %ld: %s", path, end->code, message);
    }
}

static void note_unanswered(duty *d, const char *why)
{
    agones *a = d->of;
    const uint64_t now = uv_now(a->loop);
    a->figures.unanswered++;
    a->figures.away = true;
    d->next_ms = now + AGONES_RETRY_MS;
    if (!a->told && now - a->answered_ms >= AGONES_PATIENCE_MS) {
        a->told = true;
        log_warn("agones: no answer from the sidecar at http://127.0.0.1:%u: %s; worlds go on, and "
                 "it is asked again",
                 a->options.port, why);
    }
}

static void finish(agones *a);

static void on_done(void *context, const post_end *end)
{
    duty *d = context;
    agones *a = d->of;
    char message[MESSAGE_MAX];
    d->under_way = NULL;
    if (end->outcome != POST_ANSWERED) {
        note_unanswered(d, end->why);
    } else {
        a->answered_ms = uv_now(a->loop);
        a->figures.away = false;
        if (a->told) {
            a->told = false;
            log_info("agones: the sidecar answers again");
        }
        const bool speaks = read_answer(end, message);
        if (speaks && end->code == 200) {
            a->figures.accepted++;
            d->accepted = d->asked;
            d->refused = false;
        } else {
            note_refused(d, end, message, speaks);
        }
    }
    if (a->closing && d->kind == DUTY_STATE && d->accepted == STATE_SHUTDOWN) {
        finish(a);
    }
}

// ---- requests

static void ask(duty *d, int64_t value)
{
    agones *a = d->of;
    char path[URL_MAX];
    char url[2 * URL_MAX];
    char body[BODY_MAX] = "{}";
    d->asked = value;
    describe(d, path);
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", a->options.port, path);
    if (COUNTERS[d->kind] != NULL) { // 64-bit numbers are texts in this JSON
        snprintf(body, sizeof body, "{\"count\":\"%" PRId64 "\"}", value);
    }
    const post_options options = {.url = url,
                                  .method = COUNTERS[d->kind] != NULL ? "PATCH" : NULL,
                                  .body = body,
                                  .connect_ms = AGONES_ANSWER_MS,
                                  .whole_ms = AGONES_ANSWER_MS,
                                  .answer_size_max = AGONES_ANSWER_BYTES_MAX,
                                  .handler = {.context = d, .done = on_done}};
    d->under_way = post_begin(a->posts, &options);
}

// Asks if the value is another than the accepted one. A refused counter may be accepted once its
// value has changed; it waits all the same, so that refusals are few.
static void pursue(agones *a, duty_kind kind, int64_t value)
{
    duty *d = &a->duties[kind];
    if (d->under_way == NULL && value != d->accepted && uv_now(a->loop) >= d->next_ms) {
        ask(d, value);
    }
}

static void report_health(agones *a, bool ticking)
{
    duty *d = &a->duties[DUTY_HEALTH];
    if (ticking == a->stuck) {
        a->stuck = !ticking;
        if (a->stuck) {
            log_error("agones: health is not reported: a simulation thread has been at one step "
                      "for more than %d s",
                      AGONES_STUCK_MS / 1000);
        } else {
            log_info("agones: all worlds tick again: health is reported");
        }
    }
    if (ticking && d->under_way == NULL && uv_now(a->loop) >= d->next_ms) {
        d->next_ms = uv_now(a->loop) + AGONES_HEALTH_MS;
        ask(d, 0);
    }
}

// Allocated keeps the server from being removed while somebody would miss it, and from being given
// to new players once it is leaving.
static int64_t wanted_state(const agones *a, const agones_view *v)
{
    const int64_t now = a->duties[DUTY_STATE].accepted;
    if (!v->ready && now == STATE_NONE) {
        return STATE_NONE;
    }
    return v->in_use || v->leaving ? STATE_ALLOCATED : STATE_READY;
}

static void on_timer(uv_timer_t *timer)
{
    agones *a = timer->data;
    if (a->closing) {
        if (uv_now(a->loop) >= a->end_ms) {
            log_warn("agones: the sidecar did not accept the end within %d ms", AGONES_CLOSE_MS);
            finish(a);
        } else {
            pursue(a, DUTY_STATE, STATE_SHUTDOWN);
        }
        return;
    }
    agones_view v = {0};
    a->options.look(a->options.context, &v);
    pursue(a, DUTY_STATE, wanted_state(a, &v));
    report_health(a, v.ticking);
    pursue(a, DUTY_WORLDS, v.worlds);
    pursue(a, DUTY_SESSIONS, v.sessions);
}

// ---- the beginning and the end

status agones_open(uv_loop_t *loop, const agones_options *options, agones **out, error *err)
{
    agones *a = calloc(1, sizeof *a);
    ASSERT_MEMORY(a != NULL);
    a->options = *options;
    a->loop = loop;
    const status s = posts_open(loop, NULL, &a->posts, err);
    if (s != STATUS_OK) {
        free(a);
        return s;
    }
    for (int i = 0; i < DUTY_COUNT; i++) {
        a->duties[i] = (duty){.of = a, .kind = (duty_kind)i, .accepted = -1};
    }
    a->duties[DUTY_STATE].accepted = STATE_NONE;
    a->answered_ms = uv_now(loop);
    a->parts = 2;
    (void)uv_timer_init(loop, &a->timer);
    a->timer.data = a;
    (void)uv_timer_start(&a->timer, on_timer, 0, AGONES_LOOK_MS);
    log_info("reporting to Agones at http://127.0.0.1:%u", options->port);
    *out = a;
    return STATUS_OK;
}

agones_figures agones_read_figures(const agones *a)
{
    return a->figures;
}

static void on_part_closed(void *context)
{
    agones *a = context;
    if (--a->parts == 0) {
        void (*closed)(void *context) = a->closed;
        void *of = a->context;
        free(a);
        closed(of);
    }
}

static void on_timer_closed(uv_handle_t *handle)
{
    on_part_closed(handle->data);
}

static void finish(agones *a)
{
    uv_close((uv_handle_t *)&a->timer, on_timer_closed);
    posts_close(a->posts, on_part_closed, a);
}

void agones_close(agones *a, bool shut_down, void (*closed)(void *context), void *context)
{
    ASSERT(!a->closing);
    a->closing = true;
    a->closed = closed;
    a->context = context;
    for (int i = 0; i < DUTY_COUNT; i++) {
        duty *d = &a->duties[i];
        if (d->under_way != NULL) {
            post_cancel(d->under_way);
            d->under_way = NULL;
        }
        d->next_ms = 0;
    }
    if (!shut_down) {
        finish(a);
        return;
    }
    uv_update_time(a->loop);
    a->end_ms = uv_now(a->loop) + AGONES_CLOSE_MS;
    (void)uv_timer_start(&a->timer, on_timer, 0, AGONES_LOOK_MS);
}
