// Records of a fleet as JSON; see records.h.
#include "server/fleet/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/base/assert.h"

bool record_name_valid(const char *name, size_t size)
{
    if (size == 0 || size > RECORD_NAME_MAX) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        const char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '.' || c == '-')) {
            return false;
        }
    }
    return !(name[0] == '.' && (size == 1 || (size == 2 && name[1] == '.')));
}

bool record_address_valid(const char *address)
{
    const char *colon = strrchr(address, ':');
    const size_t host = colon != NULL ? (size_t)(colon - address) : 0;
    if (host == 0 || strlen(address) > RECORD_ADDRESS_MAX) {
        return false;
    }
    for (const char *c = address; c < colon; c++) {
        if (*c <= ' ' || *c >= 0x7f || *c == '\'' || *c == '"' || *c == '\\' || *c == '/') {
            return false;
        }
    }
    const bool bracketed = address[0] == '[' && colon[-1] == ']';
    unsigned long port = 0;
    for (const char *c = colon + 1; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || port > 65535) {
            return false;
        }
        port = port * 10 + (unsigned long)(*c - '0');
    }
    return port >= 1 && port <= 65535 && (bracketed || memchr(address, ':', host) == NULL);
}

bool record_prefix_valid(const char *prefix)
{
    const size_t size = strlen(prefix);
    if (size < 2 || size > RECORD_PREFIX_MAX || prefix[0] != '/') {
        return false;
    }
    for (const char *at = prefix; *at != '\0';) {
        const char *name = at + 1;
        const size_t length = strcspn(name, "/");
        if (!record_name_valid(name, length)) {
            return false;
        }
        at = name + length;
    }
    return true;
}

// ---- writing

static size_t write_json(json_t *object, char out[RECORD_SIZE_MAX])
{
    ASSERT_MEMORY(object != NULL);
    const size_t size = json_dumpb(object, out, RECORD_SIZE_MAX - 1, JSON_COMPACT);
    ASSERT(size > 0 && size < RECORD_SIZE_MAX);
    out[size] = '\0';
    json_decref(object);
    return size;
}

static const char *or_null(const char *text)
{
    return *text != '\0' ? text : NULL;
}

size_t world_record_write(const world_record *r, char out[RECORD_SIZE_MAX])
{
    return write_json(json_pack("{s:i,s:I,s:s,s:s?,s:I,s:f,s:s,s:s?,s:s,s:b}", "format",
                                RECORD_FORMAT, "term", (json_int_t)r->term, "primary", r->primary,
                                "standby", or_null(r->standby), "engine", (json_int_t)r->engine,
                                "hz", r->hz, "address", r->address, "http", or_null(r->http), "run",
                                r->run, "replicated", r->replicated),
                      out);
}

size_t node_record_write(const node_record *r, char out[RECORD_SIZE_MAX])
{
    return write_json(json_pack("{s:i,s:s,s:s?,s:I,s:s,s:f,s:I,s:I,s:I,s:b,s:s?}", "format",
                                RECORD_FORMAT, "address", r->address, "http", or_null(r->http),
                                "engine", (json_int_t)r->engine, "run", r->run, "lateness_ms",
                                r->lateness_ms, "worlds", (json_int_t)r->worlds, "sessions",
                                (json_int_t)r->sessions, "free_memory", (json_int_t)r->free_memory,
                                "draining", r->draining, "peer", or_null(r->peer)),
                      out);
}

static bool has_changed(double was, double is, double trifle, double share)
{
    const double by = fabs(is - was);
    return by >= trifle && by * share >= was;
}

bool node_record_is_new(const node_record *was, const node_record *is)
{
    return strcmp(was->address, is->address) != 0 || strcmp(was->http, is->http) != 0 ||
           strcmp(was->run, is->run) != 0 || strcmp(was->peer, is->peer) != 0 ||
           was->engine != is->engine || was->draining != is->draining ||
           has_changed((double)was->worlds, (double)is->worlds, 1, NODE_CHANGE_SHARE) ||
           has_changed((double)was->sessions, (double)is->sessions, 1, NODE_CHANGE_SHARE) ||
           has_changed(was->lateness_ms, is->lateness_ms, NODE_LATENESS_TRIFLE_MS,
                       NODE_LATENESS_SHARE) ||
           has_changed((double)was->free_memory, (double)is->free_memory, NODE_MEMORY_TRIFLE,
                       NODE_CHANGE_SHARE);
}

// ---- reading

static status wrong(error *err, const char *what)
{
    return error_set(err, STATUS_INVALID_ARGUMENT, "%s", what);
}

static json_t *parse(const void *text, size_t size, error *err)
{
    json_error_t where;
    if (size >= RECORD_SIZE_MAX) {
        (void)error_set(err, STATUS_INVALID_ARGUMENT, "it has %zu bytes; at most %d are allowed",
                        size, RECORD_SIZE_MAX - 1);
        return NULL;
    }
    json_t *all = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    const json_t *format = json_object_get(all, "format");
    if (all == NULL) {
        (void)wrong(err, where.text);
    } else if (!json_is_integer(format)) {
        (void)wrong(err, "format: must be there");
    } else if (json_integer_value(format) != RECORD_FORMAT) {
        (void)error_set(err, STATUS_INVALID_ARGUMENT, "format: %lld; this server knows %d",
                        (long long)json_integer_value(format), RECORD_FORMAT);
    } else {
        return all;
    }
    json_decref(all);
    return NULL;
}

// The reader's texts, which belong to the parsed object. NULL: null.
typedef struct texts {
    const char *primary, *standby, *address, *http, *run, *peer;
} texts;

// A text or null.
static bool read_optional(const json_t *from, const char **out)
{
    *out = json_string_value(from);
    return json_is_string(from) || json_is_null(from);
}

static bool run_valid(const char *run)
{
    return strlen(run) == RECORD_RUN_SIZE && strspn(run, "0123456789abcdef") == RECORD_RUN_SIZE;
}

static status check_addresses(const texts *t, int64_t engine, error *err)
{
    if (!record_address_valid(t->address)) {
        return wrong(err, "address: must be HOST:PORT");
    }
    if (t->peer != NULL && !record_address_valid(t->peer)) {
        return wrong(err, "peer: must be HOST:PORT or null");
    }
    if (t->http != NULL && !record_address_valid(t->http)) {
        return wrong(err, "http: must be HOST:PORT or null");
    }
    if (!run_valid(t->run)) {
        return wrong(err, "run: must be 16 hexadecimal digits");
    }
    return engine >= 0 ? STATUS_OK : wrong(err, "engine: must not be negative");
}

static status check_world(const texts *t, const world_record *r, error *err)
{
    if (r->term < 1) {
        return wrong(err, "term: must be 1 or more");
    }
    if (!record_name_valid(t->primary, strlen(t->primary))) {
        return wrong(err, "primary: must be a name");
    }
    if (t->standby != NULL && !record_name_valid(t->standby, strlen(t->standby))) {
        return wrong(err, "standby: must be a name or null");
    }
    if (t->standby != NULL && strcmp(t->standby, t->primary) == 0) {
        return wrong(err, "standby: must not be the primary");
    }
    if (!(r->hz > 0 && r->hz <= 1e6)) {
        return wrong(err, "hz: must be above 0 and at most 1000000");
    }
    return check_addresses(t, r->engine, err);
}

static void copy(char *out, const char *text)
{
    strcpy(out, text != NULL ? text : ""); // its size was checked
}

status world_record_read(const void *text, size_t size, world_record *out, error *err)
{
    json_t *all = parse(text, size, err);
    json_error_t where;
    int format = 0;
    texts t = {0};
    json_int_t term = 0;
    json_int_t engine = 0;
    const json_t *standby = NULL;
    const json_t *http = NULL;
    int replicated = 0;
    world_record r = {0};
    if (all == NULL) {
        return STATUS_INVALID_ARGUMENT;
    }
    status s = STATUS_OK;
    if (json_unpack_ex(all, &where, JSON_STRICT, "{s:i,s:I,s:s,s:o,s:I,s:F,s:s,s:o,s:s,s?b}",
                       "format", &format, "term", &term, "primary", &t.primary, "standby", &standby,
                       "engine", &engine, "hz", &r.hz, "address", &t.address, "http", &http, "run",
                       &t.run, "replicated", &replicated) != 0) {
        s = wrong(err, where.text);
    } else if (!read_optional(standby, &t.standby) || !read_optional(http, &t.http)) {
        s = wrong(err, "standby, http: must be a string or null");
    } else {
        r.term = term;
        r.engine = engine;
        r.replicated = replicated != 0;
        s = check_world(&t, &r, err);
    }
    if (s == STATUS_OK) {
        copy(r.primary, t.primary);
        copy(r.standby, t.standby);
        copy(r.address, t.address);
        copy(r.http, t.http);
        copy(r.run, t.run);
        *out = r;
    }
    json_decref(all);
    return s;
}

static status check_node(const texts *t, const node_record *r, error *err)
{
    if (!(r->lateness_ms >= 0 && r->lateness_ms < 1e9)) {
        return wrong(err, "lateness_ms: must be from 0 to 1000000000");
    }
    if (r->worlds < 0 || r->sessions < 0 || r->free_memory < 0) {
        return wrong(err, "worlds, sessions, free_memory: must not be negative");
    }
    return check_addresses(t, r->engine, err);
}

status node_record_read(const void *text, size_t size, node_record *out, error *err)
{
    json_t *all = parse(text, size, err);
    json_error_t where;
    int format = 0;
    int draining = 0;
    texts t = {0};
    json_int_t numbers[4] = {0};
    const json_t *http = NULL;
    const json_t *peer = NULL;
    node_record r = {0};
    if (all == NULL) {
        return STATUS_INVALID_ARGUMENT;
    }
    status s = STATUS_OK;
    if (json_unpack_ex(all, &where, JSON_STRICT, "{s:i,s:s,s:o,s:I,s:s,s:F,s:I,s:I,s:I,s:b,s?o}",
                       "format", &format, "address", &t.address, "http", &http, "engine",
                       &numbers[0], "run", &t.run, "lateness_ms", &r.lateness_ms, "worlds",
                       &numbers[1], "sessions", &numbers[2], "free_memory", &numbers[3], "draining",
                       &draining, "peer", &peer) != 0) {
        s = wrong(err, where.text);
    } else if (!read_optional(http, &t.http) || (peer != NULL && !read_optional(peer, &t.peer))) {
        s = wrong(err, "http, peer: must be a string or null");
    } else {
        r.engine = numbers[0];
        r.worlds = numbers[1];
        r.sessions = numbers[2];
        r.free_memory = numbers[3];
        r.draining = draining != 0;
        s = check_node(&t, &r, err);
    }
    if (s == STATUS_OK) {
        copy(r.address, t.address);
        copy(r.http, t.http);
        copy(r.run, t.run);
        copy(r.peer, t.peer);
        *out = r;
    }
    json_decref(all);
    return s;
}

bool world_record_same(const world_record *a, const world_record *b)
{
    return a->term == b->term && strcmp(a->primary, b->primary) == 0 &&
           strcmp(a->standby, b->standby) == 0 && strcmp(a->run, b->run) == 0;
}
