// Requests to etcd: tries at several endpoints, bounds, lost answers; see store.h.
#include "server/fleet/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/fleet/store_internal.h"

enum { PULSE_MS = 50 }; // time between two checks of deadlines

typedef enum request_kind {
    RANGE,
    TRANSACTION,
    LEASE_GRANT,
    LEASE_KEEP,
    LEASE_REVOKE
} request_kind;

struct store_request {
    store *of;
    store_request *next, *previous;
    request_kind kind;
    char *body;
    char *prefix;          // RANGE
    store_entries entries; // RANGE: those read so far
    size_t entry_bytes;
    int64_t revision; // RANGE: of the first page; 0: none was read
    store_op *ops;    // TRANSACTION: owned, with the keys and values
    uint32_t op_count;
    post *post;           // NULL: waits for `next_ms`
    uint64_t deadline_ms; // no try begins later
    uint64_t next_ms;
    uint32_t endpoint; // endpoint of the current try
    uint32_t tries;    // number of failed tries
    bool sent;         // an earlier try may have taken effect
    error last;        // why the last try failed
    store_done done;
    void *context;
};

store_times store_times_default(void)
{
    // A new leader of etcd is there after 0.4 to 1.3 s, and requests wait for it.
    return (store_times){
        .connect_ms = 1000, .try_ms = 2500, .whole_ms = 8000, .pause_ms = 100, .silence_ms = 3000};
}

// ---- endpoints

static status check_endpoint(const char *from, size_t size, error *err)
{
    const size_t scheme = strncmp(from, "https://", 8) == 0  ? 8
                          : strncmp(from, "http://", 7) == 0 ? 7
                                                             : 0;
    size_t colon = size;
    bool plain = scheme > 0 && size > scheme && size <= STORE_ENDPOINT_SIZE_MAX;
    for (size_t i = scheme; i < size && plain; i++) {
        const char c = from[i];
        plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '.' || c == '-' || c == '_' || c == ':' || c == '[' || c == ']';
        colon = c == ':' ? i : colon;
    }
    bool port = plain && colon > scheme && colon + 1 < size && size - colon <= 6;
    unsigned number = 0;
    for (size_t i = colon + 1; i < size && port; i++) {
        port = from[i] >= '0' && from[i] <= '9';
        number = number * 10 + (unsigned)(from[i] - '0');
    }
    if (!port || number == 0 || number > 65535) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%.*s' is not http://HOST:PORT or https://HOST:PORT", (int)size, from);
    }
    return STATUS_OK;
}

static status read_endpoints(const char *from, store *into, error *err)
{
    uint32_t count = 0;
    for (const char *at = from; at != NULL;) {
        const char *comma = strchr(at, ',');
        const size_t size = comma != NULL ? (size_t)(comma - at) : strlen(at);
        if (count == STORE_ENDPOINTS_MAX) {
            return error_set(err, STATUS_INVALID_ARGUMENT, "there are %d endpoints at most",
                             STORE_ENDPOINTS_MAX);
        }
        status s = check_endpoint(at, size, err);
        if (s != STATUS_OK) {
            return s;
        }
        if (into != NULL) {
            memcpy(into->endpoints[count], at, size);
            into->endpoint_count = count + 1;
        }
        count++;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return STATUS_OK;
}

status store_check_endpoints(const char *endpoints, error *err)
{
    return read_endpoints(endpoints, NULL, err);
}

void store_url(const store *s, uint32_t endpoint, const char *path, char out[STORE_URL_SIZE_MAX])
{
    snprintf(out, STORE_URL_SIZE_MAX, "%s/v3%s", s->endpoints[endpoint], path);
}

// ---- requests

static const char *path_of(request_kind kind)
{
    switch (kind) {
    case RANGE:
        return "/kv/range";
    case TRANSACTION:
        return "/kv/txn";
    case LEASE_GRANT:
        return "/lease/grant";
    case LEASE_KEEP:
        return "/lease/keepalive";
    case LEASE_REVOKE:
        break;
    }
    return "/lease/revoke";
}

static void free_request(store_request *r)
{
    store *s = r->of;
    *(r->previous != NULL ? &r->previous->next : &s->first) = r->next;
    if (r->next != NULL) {
        r->next->previous = r->previous;
    }
    s->request_count--;
    if (r->post != NULL) {
        post_cancel(r->post);
    }
    for (uint32_t i = 0; i < r->op_count; i++) {
        free((char *)(uintptr_t)r->ops[i].key);
        free((uint8_t *)(uintptr_t)r->ops[i].value);
    }
    free(r->ops);
    store_entries_free(&r->entries);
    free(r->prefix);
    free(r->body);
    free(r);
}

// The request is freed before its receiver is called, who may close the store.
static void answer(store_request *r, store_answer *with)
{
    const store_done done = r->done;
    void *context = r->context;
    store_entries none = {0};
    with->entries = with->entries != NULL ? with->entries : &none;
    free_request(r);
    done(context, with);
}

static void give_up(store_request *r, status s)
{
    const error why = r->last;
    store_answer failed = {.status = s, .text = why.text, .sent = r->sent};
    answer(r, &failed);
}

static void begin_try(store_request *r);

const char *store_trouble(const store *s)
{
    return s->trouble;
}

// Tries again at the next endpoint, after a pause if each one has failed.
static void try_again(store_request *r)
{
    store *s = r->of;
    const uint64_t now_ms = uv_now(s->loop);
    snprintf(s->trouble, sizeof s->trouble, "%s", r->last.text);
    r->tries++;
    r->endpoint = (r->endpoint + 1) % s->endpoint_count;
    r->next_ms = now_ms + (r->tries % s->endpoint_count == 0 ? s->times.pause_ms : 0);
    if (r->next_ms >= r->deadline_ms) {
        give_up(r, STATUS_UNAVAILABLE);
    }
}

// Whether each key has the bytes that the transaction was to write.
static bool all_as_wanted(const store_request *r, const store_entries *found)
{
    for (uint32_t i = 0; i < r->op_count; i++) {
        const store_op *op = &r->ops[i];
        const store_entry *e = &found->data[i];
        const bool same = (op->value == NULL) == (e->value == NULL) &&
                          (op->value == NULL || (op->value_size == e->value_size &&
                                                 memcmp(op->value, e->value, e->value_size) == 0));
        if (!same) {
            return false;
        }
    }
    return true;
}

static void finish_transaction(store_request *r, etcd_answer *a)
{
    store_answer told = {
        .text = "", .written = a->succeeded, .revision = a->revision, .entries = &a->entries};
    if (!a->succeeded && r->sent && all_as_wanted(r, &a->entries)) {
        told.written = true; // written by the try whose answer was lost
        told.revision = a->entries.data[0].modified > 0 ? a->entries.data[0].modified : a->revision;
    }
    if (told.written) {
        for (uint32_t i = 0; i < r->op_count; i++) {
            if (r->ops[i].value == NULL) {
                continue; // the removal of a key that is not there is no change
            }
            store_watches_note(r->of, r->ops[i].key, told.revision);
        }
    }
    answer(r, &told);
}

// Returns false, with `last` set, if the range is too large.
static bool add_page(store_request *r, etcd_answer *a)
{
    for (uint32_t i = 0; i < a->entries.count; i++) {
        r->entry_bytes += a->entries.data[i].key_size + a->entries.data[i].value_size;
        array_push(&r->entries, a->entries.data[i]);
    }
    array_free(&a->entries); // not the entries, which are the request's now
    r->revision = r->revision > 0 ? r->revision : a->revision;
    if (r->entry_bytes > STORE_RANGE_BYTES_MAX) {
        (void)error_set(&r->last, STATUS_LIMIT_EXCEEDED,
                        "the keys under '%s' have more than %d bytes", r->prefix,
                        STORE_RANGE_BYTES_MAX);
        return false;
    }
    return true;
}

static void finish_page(store_request *r, etcd_answer *a)
{
    const bool more = a->more;
    if (!add_page(r, a)) {
        give_up(r, STATUS_LIMIT_EXCEEDED);
        return;
    }
    if (!more) {
        store_entries all = r->entries;
        store_answer told = {.text = "", .revision = r->revision, .entries = &all};
        r->entries = (store_entries){0};
        answer(r, &told);
        store_entries_free(&all);
        return;
    }
    // The next page begins behind the last key: at the same key with a zero appended.
    const store_entry *last = &r->entries.data[r->entries.count - 1];
    free(r->body);
    r->body = etcd_range(last->key, last->key_size + 1, r->prefix, r->revision);
    r->deadline_ms = uv_now(r->of->loop) + r->of->times.whole_ms;
    r->next_ms = uv_now(r->of->loop);
    begin_try(r);
}

static status read_body(const store_request *r, const post_end *end, etcd_answer *a, error *err)
{
    switch (r->kind) {
    case RANGE:
        return etcd_read_range(end->body, end->size, a, err);
    case TRANSACTION:
        return etcd_read_transaction(end->body, end->size, r->ops, r->op_count, a, err);
    case LEASE_GRANT:
        return etcd_read_lease_grant(end->body, end->size, a, err);
    case LEASE_KEEP:
        return etcd_read_keepalive(end->body, end->size, a, err);
    case LEASE_REVOKE:
        break;
    }
    return etcd_read_revoke(end->body, end->size, a, err);
}

static void finish_answered(store_request *r, const post_end *end)
{
    enum { HTTP_OK = 200, HTTP_SERVER_ERROR = 500 };
    etcd_answer a = {0};
    if (end->code != HTTP_OK) {
        const int code = etcd_read_error(end->body, end->size, &r->last);
        if (code == ETCD_ERROR_CODE_NOT_FOUND) {
            give_up(r, STATUS_NOT_FOUND);
        } else if (code < 0) {
            // Another program or a proxy has answered: it may have passed the request on.
            (void)error_set(&r->last, STATUS_UNAVAILABLE,
                            strstr(end->body, "HTTP request to an HTTPS server") != NULL
                                ? "%s answers HTTP %ld: it speaks TLS, and wants https:// (--fleet)"
                                : "%s answers HTTP %ld, and not as etcd does",
                            r->of->endpoints[r->endpoint], end->code);
            r->sent = r->sent || end->code >= HTTP_SERVER_ERROR;
            try_again(r);
        } else {
            error_prefix(&r->last, "%s", r->of->endpoints[r->endpoint]);
            r->sent = r->sent || end->code >= HTTP_SERVER_ERROR;
            end->code >= HTTP_SERVER_ERROR ? try_again(r) : give_up(r, STATUS_UNAVAILABLE);
        }
        return;
    }
    if (read_body(r, end, &a, &r->last) != STATUS_OK) {
        error_prefix(&r->last, "%s", r->of->endpoints[r->endpoint]);
        r->sent = true;
        try_again(r);
        return;
    }
    r->of->endpoint = r->endpoint;
    r->of->trouble[0] = '\0';
    if (r->kind == RANGE) {
        finish_page(r, &a);
    } else if (r->kind == TRANSACTION) {
        finish_transaction(r, &a);
    } else {
        store_answer told = {.text = "", .lease = a.lease, .ttl_s = a.ttl_s};
        if (r->kind == LEASE_KEEP && a.ttl_s == 0) {
            told.status = STATUS_NOT_FOUND;
            told.text = "the lease has expired";
        }
        answer(r, &told);
    }
    etcd_answer_deinit(&a);
}

static void on_done(void *context, const post_end *end)
{
    store_request *r = context;
    r->post = NULL;
    if (end->outcome == POST_ANSWERED) {
        finish_answered(r, end);
        return;
    }
    (void)error_set(&r->last, STATUS_UNAVAILABLE, "%s: %s", r->of->endpoints[r->endpoint],
                    end->why);
    r->sent = r->sent || end->outcome == POST_LOST;
    try_again(r);
}

static void begin_try(store_request *r)
{
    store *s = r->of;
    char url[STORE_URL_SIZE_MAX];
    store_url(s, r->endpoint, path_of(r->kind), url);
    const post_options options = {.url = url,
                                  .body = r->body,
                                  .connect_ms = s->times.connect_ms,
                                  .whole_ms = s->times.try_ms,
                                  .answer_size_max = s->answer_size_max,
                                  .handler = {.context = r, .done = on_done}};
    r->post = post_begin(s->posts, &options);
}

static status begin_request(store *s, request_kind kind, store_done done, void *context,
                            store_request **out, error *err)
{
    ASSERT(!s->closing);
    if (s->request_count == STORE_REQUESTS_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "already %d requests wait for etcd",
                         STORE_REQUESTS_MAX);
    }
    store_request *r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    *r = (store_request){.of = s,
                         .next = s->first,
                         .kind = kind,
                         .endpoint = s->endpoint,
                         .deadline_ms = uv_now(s->loop) + s->times.whole_ms,
                         .done = done,
                         .context = context};
    if (s->first != NULL) {
        s->first->previous = r;
    }
    s->first = r;
    s->request_count++;
    *out = r;
    return STATUS_OK;
}

status store_get(store *s, const char *prefix, store_done done, void *context, error *err)
{
    store_request *r = NULL;
    status begun = begin_request(s, RANGE, done, context, &r, err);
    if (begun == STATUS_OK) {
        r->prefix = strdup(prefix);
        ASSERT_MEMORY(r->prefix != NULL);
        r->body = etcd_range(prefix, strlen(prefix), prefix, 0);
        begin_try(r);
    }
    return begun;
}

static status check_ops(const store_op *ops, uint32_t count, error *err)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count && count <= ETCD_OPS_MAX; i++) {
        bytes += strlen(ops[i].key) + ops[i].value_size;
    }
    if (count == 0 || count > ETCD_OPS_MAX || bytes > ETCD_REQUEST_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "a transaction has 1 to %d operations and at most %d bytes", ETCD_OPS_MAX,
                         ETCD_REQUEST_MAX);
    }
    return STATUS_OK;
}

status store_transact(store *s, const store_op *ops, uint32_t count, store_done done, void *context,
                      error *err)
{
    store_request *r = NULL;
    status begun = check_ops(ops, count, err);
    if (begun == STATUS_OK) {
        begun = begin_request(s, TRANSACTION, done, context, &r, err);
    }
    if (begun != STATUS_OK) {
        return begun;
    }
    r->ops = calloc(count, sizeof *r->ops);
    ASSERT_MEMORY(r->ops != NULL);
    for (uint32_t i = 0; i < count; i++) {
        r->ops[i] = ops[i];
        r->ops[i].key = strdup(ops[i].key);
        ASSERT_MEMORY(r->ops[i].key != NULL);
        if (ops[i].value != NULL) {
            void *copy = malloc(ops[i].value_size + 1);
            ASSERT_MEMORY(copy != NULL);
            memcpy(copy, ops[i].value, ops[i].value_size);
            r->ops[i].value = copy;
        }
    }
    r->op_count = count;
    r->body = etcd_transaction(r->ops, count);
    begin_try(r);
    return STATUS_OK;
}

static status begin_lease_request(store *s, request_kind kind, int64_t number, store_done done,
                                  void *context, error *err)
{
    store_request *r = NULL;
    status begun = begin_request(s, kind, done, context, &r, err);
    if (begun == STATUS_OK) {
        r->body = kind == LEASE_GRANT ? etcd_lease_grant(number) : etcd_lease(number);
        begin_try(r);
    }
    return begun;
}

status store_lease_grant(store *s, int64_t ttl_s, store_done done, void *context, error *err)
{
    return begin_lease_request(s, LEASE_GRANT, ttl_s, done, context, err);
}

status store_lease_keep(store *s, int64_t lease, store_done done, void *context, error *err)
{
    return begin_lease_request(s, LEASE_KEEP, lease, done, context, err);
}

status store_lease_revoke(store *s, int64_t lease, store_done done, void *context, error *err)
{
    return begin_lease_request(s, LEASE_REVOKE, lease, done, context, err);
}

// ---- the store

static void on_pulse(uv_timer_t *timer)
{
    store *s = timer->data;
    const uint64_t now_ms = uv_now(s->loop);
    for (store_request *r = s->first; r != NULL; r = r->next) {
        if (r->post == NULL && r->next_ms <= now_ms) {
            begin_try(r);
        }
    }
    store_watches_pulse(s, now_ms);
}

status store_open(uv_loop_t *loop, const store_options *options, store **out, error *err)
{
    store *s = calloc(1, sizeof *s);
    ASSERT_MEMORY(s != NULL);
    *s = (store){.loop = loop, .tls = options->tls, .times = options->times, .handles = 2};
    s->answer_size_max = options->answer_size_max != 0 ? options->answer_size_max : ETCD_ANSWER_MAX;
    status opened = read_endpoints(options->endpoints, s, err);
    if (opened == STATUS_OK) {
        opened = posts_open(loop, &s->tls, &s->posts, err);
    }
    if (opened != STATUS_OK) {
        free(s);
        return opened;
    }
    (void)uv_timer_init(loop, &s->timer);
    s->timer.data = s;
    (void)uv_timer_start(&s->timer, on_pulse, PULSE_MS, PULSE_MS);
    *out = s;
    return STATUS_OK;
}

static void note_closed(store *s)
{
    ASSERT(s->handles > 0);
    if (--s->handles == 0) {
        void (*closed)(void *context) = s->closed;
        void *context = s->context;
        free(s);
        closed(context);
    }
}

static void on_posts_closed(void *context)
{
    note_closed(context);
}

static void on_timer_closed(uv_handle_t *handle)
{
    note_closed(handle->data);
}

void store_close(store *s, void (*closed)(void *context), void *context)
{
    ASSERT(!s->closing);
    s->closing = true;
    s->closed = closed;
    s->context = context;
    while (s->first != NULL) {
        free_request(s->first);
    }
    store_watches_close(s);
    posts_close(s->posts, on_posts_closed, s);
    uv_close((uv_handle_t *)&s->timer, on_timer_closed);
}
