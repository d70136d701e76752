// A message becomes a call. Calls that need no world are answered here, at once; a call to a world
// is sent to it as a plain command, and its result comes back through replies.c. Network thread
// only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/base/utf8.h"
#include "proto/commands/command_decode.h"
#include "proto/log/log_compact.h"
#include "server/base/audit.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/fleet/fleet.h"
#include "server/session/calls/call.h"
#include "server/session/calls/fleet_list.h"
#include "server/session/calls/rights.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/moving.h"
#include "server/session/placement/seating.h"
#include "server/session/placement/templates.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/relay/upstreams.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/session/sessions.h"
#include "server/world/state/session_bodies.h"

static const char SERVER_NAME[] = "caromd";

void call_fail(const call *c, const error *err)
{
    if (c->answerable) {
        session_answer_error(c->session, c->id, err);
    } else {
        metrics_add(METRIC_notifications_failed, 1);
        audit_notification(c->session->key.number, err->status, err->text);
    }
}

// Answers with the content of the buffer.
static void succeed(const call *c, const buffer *result)
{
    ASSERT(!result->overflow);
    if (c->answerable) {
        session_answer(c->session, c->id, result->data, result->size, NULL);
    }
}

// ---- calls that the session and the server answer themselves

enum { NUMBERS_MAX = 64 };

static uint32_t list_limits(const limits *bounds, named_number *out)
{
    uint32_t count = 0;
    for (const limit_info *l = limits_info(0); l != NULL; l = limits_info(count)) {
        ASSERT(count < NUMBERS_MAX);
        out[count++] = (named_number){l->name, (double)limits_get(bounds, l), true};
    }
    return count;
}

// The name of the server that stands by for the first world of the session that has a standby, or
// for a world of this server; NULL: there is none.
static const char *standby_name(const session *s, const struct fleet *f)
{
    for (uint32_t i = 0; i < s->subscriptions.count; i++) {
        const world_record *r = fleet_own(f, s->subscriptions.data[i].world_name);
        if (r != NULL && *r->standby != '\0') {
            return r->standby;
        }
    }
    return pairs_standby(s->server);
}

// Where the client may go on if this server does not answer any more; "": nowhere.
static const char *standby_address(const session *s)
{
    const struct fleet *f = s->server->options->fleet;
    const bool web = s->connection != NULL && connection_framed(s->connection);
    const char *name = f != NULL && s->identity.role != ROLE_NONE ? standby_name(s, f) : NULL;
    const node_record *standby = name != NULL ? fleet_find_node(f, name) : NULL;
    return standby == NULL ? "" : web ? standby->http : standby->address;
}

void call_answer_hello(session *s, bool answerable, uint32_t id, uint32_t protocol,
                       const resumed_result *resumed)
{
    named_number numbers[NUMBERS_MAX];
    char resume[SECRET_TEXT_MAX] = "";
    if (s->resume.secret_state != SECRET_NONE) {
        secret_print(resume, s->key, &s->resume.secret);
    }
    hello_result r = {
        .protocol = protocol < PROTOCOL_VERSION ? protocol : PROTOCOL_VERSION,
        .server = SERVER_NAME,
        .version = CAROM_VERSION,
        .engine = ENGINE_BEHAVIOUR,
        .compact = log_compact_tables(),
        .session = s->key.number,
        .resume = resume,
        .role = s->identity.role,
        .subject = rights_subject(s),
        .expires = s->identity.grant != NULL && !s->identity.grant->guest
                       ? s->identity.grant->expires
                       : 0.0,
        .limits = numbers,
        .standby = standby_address(s),
        .limit_count = list_limits(&s->identity.bounds, numbers),
        .resumed = resumed,
    };
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    encode_hello_result(&out, &r);
    explicit_bzero(resume, sizeof resume);
    ASSERT(!out.overflow);
    if (answerable) {
        session_answer(s, id, out.data, out.size, NULL);
    }
    buffer_deinit(&out);
}

static status do_hello(const call *c, const hello_args *args, error *err)
{
    session *s = c->session;
    ASSERT(s->connection != NULL);
    if (s->fate == FATE_OVER) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "this connection's session has said goodbye: connect again for another");
    }
    bool resumes = args->resume != NULL && *args->resume != '\0';
    grant *granted = NULL;
    status allowed = rights_read_token(s, args->token, &granted, err);
    if (allowed == STATUS_OK) {
        allowed =
            resumes ? resume_session(c, args, granted, err) : rights_check_subject(s, granted, err);
    }
    if (allowed != STATUS_OK) {
        grant_free(granted);
        return allowed;
    }
    ASSERT((granted == NULL) || s->server->keys != NULL);
    if (granted == NULL && !resumes) {
        granted = rights_guest(s);
    }
    size_t size = strlen(args->client);
    ASSERT(size < sizeof s->identity.client);
    memcpy(s->identity.client, args->client, size + 1);
    char quoted[UTF8_QUOTE_MAX];
    log_debug("session %llu (%s) has the name '%s'", (unsigned long long)s->key.number,
              connection_peer_name(s->connection), utf8_quote(quoted, args->client, size));
    if (!resumes) {
        rights_take(s, granted);
        resume_allow(s);
        session_store_note(s);
        call_answer_hello(s, c->answerable, c->id, args->protocol, NULL);
    }
    return STATUS_OK;
}

// Answers with the bytes that `write` appends.
static status answer_with(const call *c, const command *cmd,
                          void (*write)(const call *, const command *, buffer *))
{
    buffer out;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    write(c, cmd, &out);
    succeed(c, &out);
    buffer_deinit(&out);
    return STATUS_OK;
}

static void do_goodbye(const call *c, const command *cmd, buffer *out)
{
    (void)cmd;
    session_decide(c->session, FATE_OVER);
    session_store_end(c->session);
    encode_empty_result(out);
}

static void do_ping(const call *c, const command *cmd, buffer *out)
{
    encode_ping_result(out, &(ping_result){.time = (double)c->received_ns * 1e-9,
                                           .any = cmd->ping.any,
                                           .any_size = cmd->ping.any_size});
}

static void do_server_info(const call *c, const command *cmd, buffer *out)
{
    (void)cmd;
    const server *s = c->session->server;
    named_number numbers[NUMBERS_MAX];
    template_info templates[TEMPLATES_MAX];
    for (uint32_t i = 0; i < s->options->template_count; i++) {
        const world_template *t = &s->options->templates[i];
        templates[i] = (template_info){.template = t->name, .seats = t->seats};
    }
    server_info_result r = {
        .server = SERVER_NAME,
        .version = CAROM_VERSION,
        .uptime = (double)(clock_now_ns() - s->started_ns) * 1e-9,
        .worlds = s->worlds.by_name.count,
        .sessions = s->session_count,
        .limits = numbers,
        .limit_count = list_limits(s->limits, numbers),
        .templates = templates,
        .template_count = s->options->template_count,
    };
    encode_server_info_result(out, &r);
}

static void do_server_stats(const call *c, const command *cmd, buffer *out)
{
    const stats_args *wanted = &cmd->stats;
    const server *s = c->session->server;
    named_number numbers[METRIC_COUNT + MEMORY_USES + 18];
    uint32_t count = 0;
    numbers[count++] = (named_number){"sessions", s->session_count, true};
    numbers[count++] = (named_number){"leaving", s->stage != SERVER_SERVING, true};
    numbers[count++] = (named_number){"sessions_detached", s->detached.count, true};
    numbers[count++] = (named_number){"worlds", s->worlds.by_name.count, true};
    if (s->upstreams != NULL) {
        numbers[count++] = (named_number){"relay_worlds", upstreams_world_count(s), true};
        numbers[count++] = (named_number){"relay_connected", upstreams_connected(s), true};
        numbers[count++] = (named_number){"relay_upstreams", s->options->relay.count, true};
    }
    numbers[count++] = (named_number){"command_bytes", (double)s->command_bytes, true};
    numbers[count++] = (named_number){"memory_bytes", (double)metrics_memory_bytes(), true};
    numbers[count++] = (named_number){"memory_bound", (double)memory_bound(), true};
    numbers[count++] = (named_number){"memory_used", (double)memory_used(), true};
    const struct fleet *f = s->options->fleet;
    if (f != NULL) {
        numbers[count++] = (named_number){"fleet_nodes", fleet_node_count(f), true};
        numbers[count++] = (named_number){"fleet_worlds", fleet_world_count(f), true};
        numbers[count++] =
            (named_number){"fleet_store_unanswered", *fleet_store_error(f) != '\0', true};
        const pair_lag lag = pairs_lag_of_all(s);
        numbers[count++] = (named_number){"fleet_standbys", lag.worlds, true};
        numbers[count++] = (named_number){"fleet_followed", pairs_followed(s), true};
        numbers[count++] = (named_number){"fleet_standby_lag_ms", lag.seconds * 1e3, true};
        numbers[count++] = (named_number){"fleet_standby_lag_bytes", (double)lag.bytes, true};
    }
    for (int use = 0; use < MEMORY_USES; use++) {
        const memory_use of = (memory_use)use;
        numbers[count++] = (named_number){memory_stat_name(of), (double)memory_of(of), true};
    }
    for (int m = 0; m < METRIC_COUNT; m++) {
        uint64_t value = metrics_get((metric)m);
        numbers[count++] = (named_number){metrics_name((metric)m), (double)value, true};
    }
    latency_summary summaries[TIMING_COUNT];
    latency_bin *bins =
        wanted->bins ? malloc(sizeof *bins * TIMING_COUNT * METRICS_BINS_MAX) : NULL;
    for (int t = 0; t < TIMING_COUNT; t++) {
        summaries[t] = metrics_summary((timing)t);
        if (bins != NULL) {
            summaries[t].bins = bins + t * METRICS_BINS_MAX;
            summaries[t].bin_count = metrics_bins((timing)t, bins + t * METRICS_BINS_MAX);
        }
    }
    encode_server_stats_result(out, &(server_stats_result){.counters = numbers,
                                                           .counter_count = count,
                                                           .latencies = summaries,
                                                           .latency_count = TIMING_COUNT});
    free(bins);
}

// ---- calls that worlds answer

// NULL without a fleet.
static fleet_place *place_of(const session *asker, const world_entry *entry)
{
    const server *s = asker->server;
    const bool web = asker->connection != NULL && connection_framed(asker->connection);
    struct fleet *f = s->options->fleet;
    const world_record *r = f != NULL ? fleet_own(f, entry->name) : NULL;
    if (r == NULL) {
        return NULL;
    }
    fleet_place *place = calloc(1, sizeof *place);
    ASSERT_MEMORY(place != NULL);
    const node_record *standby = fleet_find_node(f, r->standby);
    place->term = (uint64_t)r->term;
    snprintf(place->primary, sizeof place->primary, "%s",
             web && r->http[0] != '\0' ? r->http : r->address);
    if (standby != NULL) {
        snprintf(place->standby, sizeof place->standby, "%s",
                 web ? standby->http : standby->address);
    }
    pair_lag lag;
    place->standby_tick = pairs_lag(s, entry->name, &lag) ? lag.tick : 0;
    return place;
}

static status send_to_world(const call *c, command *cmd, error *err)
{
    server *s = c->session->server;
    world_entry *entry = NULL;
    const status found = worlds_find(s, c->session, cmd->world, &entry, err);
    if (found != STATUS_OK) {
        return found;
    }
    if (entry->broken != NULL && cmd->method == METHOD_WORLD_INFO) {
        worlds_tell_broken(c, entry);
        return STATUS_OK;
    }
    // Read before the request takes over the command: whether the world is informed of the
    // session's end.
    bool bound = session_bodies_wanted(cmd) || cmd->method == METHOD_WORLD_STEP;
    request *r = worlds_request(c, entry, cmd);
    r->place = r->command.method == METHOD_WORLD_INFO ? place_of(c->session, entry) : NULL;
    status sent = worlds_send(s, entry, r, err);
    if (sent == STATUS_OK && bound) {
        worlds_note_body(c->session, entry->number);
    }
    return sent;
}

static status subscribe(const call *c, command *cmd, error *err)
{
    session *s = c->session;
    server *of = s->server;
    ASSERT(cmd->method == METHOD_WORLD_SUBSCRIBE && s->connection != NULL);
    world_entry *entry = NULL;
    const status found = worlds_find(of, s, cmd->world, &entry, err);
    if (found != STATUS_OK) {
        return found;
    }
    if (s->subscriptions.count >= s->identity.bounds.subscriptions_per_connection) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "subscriptions_per_connection: there %s %u already",
                         s->subscriptions.count == 1 ? "is" : "are", s->subscriptions.count);
    }
    session_subscription made = {
        .number = of->next_subscription++, .world = entry->number, .args = cmd->subscribe};
    made.args.token_areas = NULL; // owned by the command
    made.args.token_area_count = 0;
    made.args.data = NULL; // likewise
    made.args.data_count = 0;
    made.data = data_prefixes_create(cmd->subscribe.data, cmd->subscribe.data_count);
    memcpy(made.world_name, entry->name, sizeof made.world_name);
    request *r = worlds_request(c, entry, cmd);
    r->subscription = made.number;
    r->holder = memory_holder_ref(rights_holder(s));
    status result = worlds_send(of, entry, r, err);
    if (result == STATUS_OK) {
        array_push(&s->subscriptions, made);
        session_store_note_subscription(s, &made);
    } else {
        free(made.data);
    }
    return result;
}

// world.unsubscribe and world.view: the subscription says which world.
static status send_to_subscription(const call *c, command *cmd, error *err)
{
    server *s = c->session->server;
    uint64_t number = cmd->view.subscription;
    const session_subscription *found = session_find_subscription(c->session, number);
    world_entry *entry = found != NULL ? directory_find_number(&s->worlds, found->world) : NULL;
    if (entry == NULL) {
        return error_set(err, STATUS_NOT_FOUND,
                         "subscription %llu does not belong to this connection",
                         (unsigned long long)number);
    }
    request *r = worlds_request(c, entry, cmd);
    r->subscription = number;
    return worlds_send(s, entry, r, err);
}

static void do_kick(const call *c, const command *cmd, buffer *out)
{
    (void)c, (void)cmd;
    encode_empty_result(out);
}

// ---- calls that the server answers

static status answer_hello(const call *c, command *cmd, error *err)
{
    return do_hello(c, &cmd->hello, err);
}

static status answer_goodbye(const call *c, command *cmd, error *err)
{
    (void)err;
    return answer_with(c, cmd, do_goodbye);
}

static status answer_ping(const call *c, command *cmd, error *err)
{
    (void)err;
    return answer_with(c, cmd, do_ping);
}

static status answer_info(const call *c, command *cmd, error *err)
{
    (void)err;
    return answer_with(c, cmd, do_server_info);
}

static status answer_stats(const call *c, command *cmd, error *err)
{
    (void)err;
    return answer_with(c, cmd, do_server_stats);
}

static status answer_sessions(const call *c, command *cmd, error *err)
{
    return sessions_list(c, &cmd->sessions, err);
}

static status answer_fleet(const call *c, command *cmd, error *err)
{
    if (c->session->server->options->fleet == NULL) {
        return error_set(err, STATUS_UNAVAILABLE,
                         "this server is alone: caromd --fleet makes it one of several");
    }
    return answer_with(c, cmd, fleet_list_answer);
}

static status answer_kick(const call *c, command *cmd, error *err)
{
    status result = sessions_kick(c->session->server, &cmd->kick, err);
    return result == STATUS_OK ? answer_with(c, cmd, do_kick) : result;
}

static status answer_create(const call *c, command *cmd, error *err)
{
    return worlds_create(c->session->server, c, cmd, err);
}

static status answer_fork(const call *c, command *cmd, error *err)
{
    return worlds_fork(c->session->server, c, cmd, err);
}

static status answer_destroy(const call *c, command *cmd, error *err)
{
    return worlds_destroy(c->session->server, c, cmd, err);
}

static status answer_move(const call *c, command *cmd, error *err)
{
    return moving_begin(c->session->server, c, cmd, err);
}

static status answer_join(const call *c, command *cmd, error *err)
{
    return seating_join(c->session->server, c, cmd, err);
}

static status answer_leave(const call *c, command *cmd, error *err)
{
    return seating_leave(c->session->server, c, cmd, err);
}

static status answer_list(const call *c, command *cmd, error *err)
{
    (void)cmd;
    return worlds_list(c->session->server, c, err);
}

typedef status answer_function(const call *c, command *cmd, error *err);
#define ROW(id, answer) [METHOD_##id] = answer_##answer,
static answer_function *const ANSWER[METHOD_COUNT] = {METHOD_ANSWER(ROW)};

// A function that takes over the command empties `cmd`.
static status dispatch(const call *c, command *cmd, error *err)
{
    switch (method_scope_of(cmd->method)) {
    case SCOPE_SESSION:
    case SCOPE_SERVER:
        ASSERT(ANSWER[cmd->method] != NULL);
        return ANSWER[cmd->method](c, cmd, err);
    case SCOPE_SUBSCRIPTION:
        return cmd->method == METHOD_WORLD_SUBSCRIBE ? subscribe(c, cmd, err)
                                                     : send_to_subscription(c, cmd, err);
    default: // world.join and world.leave: the server says which seat
        return ANSWER[cmd->method] != NULL ? ANSWER[cmd->method](c, cmd, err)
                                           : send_to_world(c, cmd, err);
    }
}

// ---- the checks that every call has to pass

// A world's requests go to it by its number from here on, so that none reaches another one of its
// name.
static status check_epoch(server *s, const session *asker, const command *cmd, error *err)
{
    world_entry *entry = NULL;
    if (cmd->epoch == 0) {
        return STATUS_OK;
    }
    const status found = worlds_find(s, asker, cmd->world, &entry, err);
    if (found == STATUS_OK && entry->number == cmd->epoch) {
        return STATUS_OK;
    }
    if (found != STATUS_OK && found != STATUS_NOT_FOUND) {
        return found;
    }
    if (entry == NULL) {
        return error_set(err, STATUS_NOT_FOUND,
                         "epoch: there is no world '%s' of epoch %llu (any more)", cmd->world,
                         (unsigned long long)cmd->epoch);
    }
    return error_set(err, STATUS_NOT_FOUND,
                     "epoch: world '%s' is another one than that of epoch %llu: it has epoch %llu",
                     cmd->world, (unsigned long long)cmd->epoch, (unsigned long long)entry->number);
}

static status check_method(const session *s, const rpc_message *m, const method_info **out,
                           error *err)
{
    const method_info *info = method_find(m->method, m->method_size);
    if (info == NULL) {
        char quoted[UTF8_QUOTE_MAX];
        char hint[SUGGEST_TEXT_MAX];
        return error_set(err, STATUS_UNKNOWN_METHOD, "there is no method '%s'%s",
                         utf8_quote(quoted, m->method, m->method_size),
                         method_suggest(m->method, m->method_size, hint));
    }
    status allowed = rights_check_role(s, info->id, err);
    if (allowed != STATUS_OK) {
        return allowed;
    }
    if (!info->available) {
        return error_set(err, STATUS_UNAVAILABLE, "%s is not served by this version",
                         info->list.name);
    }
    *out = info;
    return STATUS_OK;
}

// A session that begins while the server is leaving may only resume an existing one.
static bool is_too_late(const session *s, const command *cmd)
{
    bool resumes = cmd->method == METHOD_HELLO && cmd->hello.resume != NULL;
    return s->opened_late && !resumes;
}

static status refuse_late(session *s, error *err)
{
    return error_set(err, STATUS_UNAVAILABLE, "no new sessions: %s", s->server->reason);
}

// Whether a world answers the call; it is then counted with its result.
static bool is_answered_later(method m)
{
    switch (method_scope_of(m)) {
    case SCOPE_SESSION:
        return false;
    case SCOPE_SERVER:
        return method_has(m, TRAIT_WORLD_ANSWERS);
    default:
        return true;
    }
}

static status decode_arguments(method m, const call *c, command *out, error *err)
{
    decoding *aside = c->aside;
    if (aside == NULL) {
        return command_decode(m, c->params, out, err);
    }
    const status decoded = aside->decoded;
    if (decoded == STATUS_OK) {
        *out = aside->command;
        aside->decoded = STATUS_INTERNAL; // the command is taken over
    } else {
        *err = aside->err;
    }
    return decoded;
}

void call_handle(session *s, const rpc_message *message, size_t size, decoding *aside)
{
    ASSERT(message->kind != RPC_RESPONSE && (aside == NULL || aside->size == size));
    call c = {
        .session = s,
        .answerable = message->kind == RPC_REQUEST,
        .id = message->id,
        .size = size,
        .received_ns = clock_now_ns(),
        .params = &message->params,
        .aside = aside,
    };
    metrics_add(c.answerable ? METRIC_requests : METRIC_notifications, 1);
    const method_info *info = NULL;
    command cmd = {0};
    error err;
    bool exhausted = false;
    status result = check_method(s, message, &info, &err);
    error over;
    if (!rights_pays_first(s) && rights_pay(s, info != NULL ? info->id : METHOD_PING, size,
                                            &exhausted, &over) != STATUS_OK) {
        result = over.status;
        err = over;
    }
    if (result == STATUS_OK) {
        ASSERT(info != NULL);
        result = decode_arguments(info->id, &c, &cmd, &err);
    }
    if (result == STATUS_OK) {
        result = is_too_late(s, &cmd) ? refuse_late(s, &err) : rights_permit(s, &cmd, &err);
        result = result == STATUS_OK ? upstreams_permit(s->server, s, &cmd, &err) : result;
        result = result == STATUS_OK ? check_epoch(s->server, s, &cmd, &err) : result;
        if (result == STATUS_OK) {
            result = dispatch(&c, &cmd, &err);
        }
        command_free(&cmd);
    }
    if (result != STATUS_OK || !is_answered_later(info->id)) {
        metrics_count_call(info != NULL ? info->id : METHOD_COUNT, result);
    }
    if (result != STATUS_OK) {
        if (result == STATUS_LIMIT_EXCEEDED) {
            metrics_count_limit(err.text);
        }
        rights_audit(s, &err);
        call_fail(&c, &err);
    }
    if (exhausted) {
        session_close(s, STATUS_LIMIT_EXCEEDED, "requests_per_second: too many for too long",
                      ENDING_FLUSH);
    }
    if (s->identity.tokens_exhausted) {
        session_close(s, STATUS_UNAUTHENTICATED, "too many tokens were refused", ENDING_FLUSH);
    }
    if (s->opened_late) {
        session_close(s, STATUS_UNAVAILABLE, s->server->reason, ENDING_FLUSH);
    }
}
