// Reconnecting and resuming; see resume.h. One thread at a time.
#include "client/lib/resume.h"

#include <stdlib.h>
#include <string.h>

#include "client/lib/client.h"
#include "common/base/assert.h"
#include "common/base/vector.h"
#include "proto/methods.h"

enum {
    FIRST_MS = 100, // defaults of carom_reconnect
    MAX_MS = 5000,
    GIVE_UP_MS = 30000,    // the time for which a server keeps sessions by default
    ATTEMPT_MS_MAX = 5000, // time for one attempt: connecting, and the answer to hello
    HASTY_MS = 1000        // a server that closes sooner than this, with a reason, will do so again
};

static int or_default(int value, int fallback)
{
    return value > 0 ? value : fallback;
}

// ---- life

bool resume_init(carom_client *c, const carom_options *options)
{
    resume_state *r = &c->resume;
    r->random = (uint64_t)monotonic_ns() ^ (uint64_t)(uintptr_t)c;
    r->name = options->name == NULL ? NULL : strdup(options->name);
    r->token = options->token == NULL ? NULL : strdup(options->token);
    return (options->name == NULL || r->name != NULL) &&
           (options->token == NULL || r->token != NULL);
}

void resume_deinit(carom_client *c)
{
    free(c->resume.name);
    free(c->resume.token);
}

carom_status carom_set_token(carom_client *client, const char *token, int timeout_ms,
                             carom_error *err)
{
    if (client == NULL || token == NULL) {
        return fault_missing(err, client == NULL ? "client" : "token");
    }
    char *copy = strdup(token);
    carom_value *args = carom_set(carom_map(), "token", carom_str(token));
    carom_value *hello = NULL;
    if (copy == NULL || args == NULL) {
        free(copy);
        carom_value_free(args);
        return fault_memory(err);
    }
    client_ref(client);
    carom_status outcome = carom_call(client, "hello", args, timeout_ms, &hello, err);
    carom_value_free(args);
    if (outcome == CAROM_OK) {
        free(client->resume.token);
        client->resume.token = copy;
        carom_value_free(client->hello);
        client->hello = hello;
        follow_present(client, timeout_ms);
    } else {
        free(copy);
    }
    client_unref(client);
    return outcome;
}

// ---- pauses

// Knuth's constants of a 64-bit linear congruential generator; the high bits are the good ones.
static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

int64_t resume_pause_ms(int first_ms, int max_ms, unsigned attempt, uint64_t random)
{
    int64_t pause = first_ms;
    for (unsigned i = 0; i < attempt && pause < max_ms; i++) {
        pause *= 2;
    }
    pause = pause < max_ms ? pause : max_ms;
    int64_t half = pause / 2;
    return half + (int64_t)(random % (uint64_t)(pause - half + 1));
}

// ---- losing the connection

// True for a lost connection, false for a refusal: that would only happen again.
static bool may_come_back(const carom_client *c)
{
    const char *secret = carom_get_str(c->hello, "resume", "");
    bool was_open = c->state == CAROM_OPEN || c->state == CAROM_RECONNECTING;
    const bool wanted = c->heir || (c->options.reconnect.on && secret[0] != '\0');
    return wanted && was_open && c->wire.why == CAROM_UNAVAILABLE;
}

// Lets an heir whose server does not take the session get one of its own. False if this is no heir,
// or has begun that already.
static bool forget_session(carom_client *c)
{
    if (!c->heir || carom_get_str(c->hello, "resume", "")[0] == '\0') {
        return false;
    }
    carom_value_free(carom_value_take(c->hello, "resume"));
    c->kin = ++c->front->follow.kins;
    vector_clear(&c->homes);
    return true;
}

bool resume_begin(carom_client *c)
{
    ASSERT(c->wire.phase == CONNECTION_DOWN);
    if (!may_come_back(c)) {
        return false;
    }
    resume_state *r = &c->resume;
    const carom_reconnect *options = &c->options.reconnect;
    int64_t now = monotonic_ns();
    int max_ms = or_default(options->max_ms, MAX_MS);
    bool first = c->state == CAROM_OPEN;
    if (first) {
        r->give_up_ns = deadline_after_ms(or_default(options->give_up_ms, GIVE_UP_MS));
        // The pauses also grow while the server accepts the session only to end it, as when another
        // client continues it.
        bool hasty = c->wire.announced && now - r->up_since_ns < (int64_t)HASTY_MS * 1000000;
        r->attempts = hasty ? r->attempts : 0;
    } else if (now >= r->give_up_ns) {
        if (!forget_session(c)) {
            return false;
        }
        r->give_up_ns = deadline_after_ms(FOLLOW_DIAL_MS);
    }
    int64_t pause = resume_pause_ms(or_default(options->first_ms, FIRST_MS), max_ms, r->attempts++,
                                    next_random(&r->random));
    r->next_ns = now + pause * 1000000;
    r->waiting = true;
    c->state = CAROM_RECONNECTING;
    if (c->hello_request != 0) {
        requests_remove(&c->requests, c->hello_request);
        c->hello_request = 0;
    }
    if (first && c->front->follow.links.count == 0) { // nobody else can be asked who has its worlds
        follow_connect_standby(c, carom_get_str(c->hello, "standby", ""));
    }
    carom_status why = c->wire.why;
    char text[CAROM_ERROR_TEXT_MAX];
    memcpy(text, c->wire.why_text, sizeof text);
    connection_forget(&c->wire);
    if (first && c->handlers.lost != NULL) {
        c->in_callback++;
        c->handlers.lost(c, why, text, c->handlers.user);
        c->in_callback--;
    }
    return true;
}

// ---- coming back

static carom_status send_hello(carom_client *c, int timeout_ms, carom_error *err)
{
    carom_value *args = carom_set(carom_map(), "protocol", carom_uint(PROTOCOL_VERSION));
    const char *secret = carom_get_str(c->hello, "resume", "");
    if (secret[0] != '\0') {
        carom_set(args, "resume", carom_str(secret));
    }
    if (c->resume.name != NULL) {
        carom_set(args, "client", carom_str(c->resume.name));
    }
    if (c->resume.token != NULL) {
        carom_set(args, "token", carom_str(c->resume.token));
    }
    carom_status outcome =
        args == NULL ? fault_memory(err) : client_hello(c, args, timeout_ms, err);
    carom_value_free(args);
    return outcome;
}

bool resume_advance(carom_client *c)
{
    resume_state *r = &c->resume;
    if (c->state != CAROM_RECONNECTING || !r->waiting || monotonic_ns() < r->next_ns) {
        return false;
    }
    r->waiting = false;
    carom_error why = {0};
    connection_dial(&c->wire, deadline_after_ms(ATTEMPT_MS_MAX));
    if (c->wire.phase != CONNECTION_DOWN && send_hello(c, ATTEMPT_MS_MAX, &why) != CAROM_OK) {
        connection_shut(&c->wire, why.status, "%s", why.text);
    }
    return true;
}

// ---- requests that were waiting

static void end_lost(carom_client *c, const pending_request *entry, carom_applied applied)
{
    carom_error lost = {0};
    fault_set(&lost, CAROM_UNAVAILABLE, "'%s': the answer was lost with the connection%s",
              entry->method,
              applied == CAROM_APPLIED_YES ? "; it took effect"
                                           : "; whether it took effect is "
                                             "not known");
    lost.applied = applied;
    client_end_request(c, entry->id, NULL, &lost);
}

static bool holds_id(const carom_value *list, uint64_t id)
{
    for (size_t i = 0; i < carom_value_count(list); i++) {
        if (carom_as_uint(carom_value_at(list, i), 0) == id) {
            return true;
        }
    }
    return false;
}

// Whether the method may be repeated in any case: it changes nothing, or nothing when it is
// repeated.
static bool repeatable(const pending_request *entry)
{
    const method_info *info = method_find(entry->method, strlen(entry->method));
    return info != NULL && method_has(info->id, TRAIT_REPEATABLE);
}

static bool is_command(const pending_request *entry)
{
    const method_info *info = method_find(entry->method, strlen(entry->method));
    return info != NULL && info->scope == SCOPE_WORLD_COMMAND && entry->world[0] != '\0';
}

// Sends the request again to the world that it was meant for. `applied`: the epoch of the world of
// that name in which a request of the session last took effect; 0: none.
static void send_again(carom_client *c, pending_request *entry, uint64_t applied)
{
    carom_error why = {0};
    uint64_t epoch = entry->epoch != 0 ? entry->epoch : applied;
    epoch = entry->names_epoch || !epochs_guard(entry->method) ? 0 : epoch;
    if (client_send_again(c, entry, epoch, &why) == CAROM_OK) {
        entry->sent = true;
        return;
    }
    why.applied = CAROM_APPLIED_NO;
    client_end_request(c, entry->id, NULL, &why);
}

static void settle(carom_client *c, pending_request *entry, const carom_value *result)
{
    if (entry->waits || entry->due_ns != 0) {
        return; // it is sent later in any case
    }
    const carom_value *done = carom_value_get(carom_value_get(result, "applied"), entry->world);
    uint64_t epoch = carom_get_uint(done, "epoch", 0);
    if (!entry->sent || repeatable(entry)) {
        send_again(c, entry, epoch);
    } else if (result == NULL) {
        end_lost(c, entry, CAROM_APPLIED_UNKNOWN);
    } else if (holds_id(carom_value_get(result, "pending"), entry->id)) {
        return; // its answer comes over this connection
    } else if (!is_command(entry)) {
        end_lost(c, entry, CAROM_APPLIED_UNKNOWN);
    } else if (entry->id <= carom_get_uint(done, "last", 0)) {
        end_lost(c, entry, CAROM_APPLIED_YES);
    } else {
        entry->doubtful = true;
        send_again(c, entry, epoch);
    }
}

// Resolves requests in the order in which they were made, on which the server relies. `result`
// NULL: the session is another one.
static void settle_all(carom_client *c, const request_ids *ids, const carom_value *result)
{
    for (uint32_t i = 0; i < ids->count && c->state != CAROM_CLOSED; i++) {
        pending_request *entry = requests_find(&c->requests, ids->data[i]);
        if (entry != NULL && !entry->done) { // callbacks may have cancelled it
            settle(c, entry, result);
        }
    }
}

static bool settle_requests(carom_client *c, const carom_value *result)
{
    request_ids ids;
    if (!requests_list(&c->requests, &ids)) {
        return false;
    }
    settle_all(c, &ids, result);
    vector_free(&ids);
    return true;
}

void resume_settle_lost(carom_client *c, const request_ids *ids)
{
    settle_all(c, ids, NULL);
}

bool resume_begin_heir(carom_client *link, const carom_client *from)
{
    carom_value *hello =
        carom_set(carom_map(), "resume", carom_str(carom_get_str(from->hello, "resume", "")));
    if (hello == NULL) {
        return false;
    }
    carom_value_free(link->hello);
    link->hello = hello;
    link->state = CAROM_RECONNECTING;
    link->heir = true;
    link->kin = from->kin;
    link->resume.give_up_ns = deadline_after_ms(FOLLOW_HEIR_MS);
    return true;
}

// The server of an heir does not know the session: the link gets one of its own.
static bool begin_anew(carom_client *c, carom_status refusal)
{
    carom_error ignored = {0};
    const bool unknown = refusal == CAROM_NOT_FOUND || refusal == CAROM_PERMISSION_DENIED;
    return unknown && forget_session(c) && send_hello(c, ATTEMPT_MS_MAX, &ignored) == CAROM_OK;
}

// Ends the attempt; the next one follows if the refusal is a passing one.
static void refuse_hello(carom_client *c, const carom_error *err)
{
    if (!begin_anew(c, err->status)) {
        connection_shut(&c->wire, err->status, "the session could not be resumed: %s", err->text);
    }
}

void resume_take_hello(carom_client *c, const carom_value *result, const carom_error *err)
{
    ASSERT(c->state == CAROM_RECONNECTING);
    if (err != NULL && err->from_server) {
        refuse_hello(c, err);
        return;
    }
    carom_value *hello = err == NULL ? carom_value_clone(result) : NULL;
    if (hello == NULL) {
        // then begins the next attempt
        bool late = err != NULL && err->status != CAROM_OUT_OF_MEMORY;
        connection_shut(&c->wire, late ? CAROM_UNAVAILABLE : CAROM_OUT_OF_MEMORY, "%s",
                        late ? err->text : "memory has run out");
        return;
    }
    carom_value_free(c->hello);
    c->hello = hello;
    c->state = CAROM_OPEN;
    c->resume.up_since_ns = monotonic_ns();
    follow_ask_standby(c);
    if (c->heir) {
        c->heir = false;
        c->resume.attempts = 0;
        follow_settle_heir(c, carom_value_get(hello, "subscriptions"));
    } else {
        c->traffic.reconnects++;
        follow_keep(c, carom_value_get(hello, "subscriptions"));
    }
    if (!settle_requests(c, hello)) {
        client_close(c, CAROM_OUT_OF_MEMORY, "memory has run out");
    }
    if (c->handlers.resumed != NULL && c->state != CAROM_CLOSED) {
        c->in_callback++;
        c->handlers.resumed(c, c->hello, c->handlers.user);
        c->in_callback--;
    }
}
