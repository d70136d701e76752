// Records of sessions to a file and back; see ledger.h. Network thread only.
#include "server/session/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/base/log.h"
#include "server/session/service.h"
#include "server/world/session_marks.h"

enum { MAGIC_BYTES = 8, HEAD_BYTES = 8, PATH_BYTES = 4096 };
enum { RECORD_SESSION, RECORD_SUBSCRIPTION, RECORD_UNSUBSCRIBED, RECORD_END };

static const uint8_t MAGIC[MAGIC_BYTES] = {0x89, 'c', 's', 'e', 's', 's', '\n', 1};
static const double TURN = 2.0 * 3.14159265358979323846; // [rad]

static bool serves(const server *s)
{
    return s->options->data != NULL && !s->options->turned && s->limits->resume_ms > 0;
}

static void path_of(const server *s, const char *suffix, char out[PATH_BYTES])
{
    snprintf(out, PATH_BYTES, "%s/sessions%s", s->options->data, suffix);
}

// ---- encoding

static void pack_text(msgpack_packer *p, const char *text)
{
    size_t size = strlen(text);
    msgpack_pack_str(p, size);
    msgpack_pack_str_body(p, text, size);
}

static void pack_bool(msgpack_packer *p, bool value)
{
    if (value) {
        msgpack_pack_true(p);
    } else {
        msgpack_pack_false(p);
    }
}

static void pack_area(msgpack_packer *p, const area *a)
{
    msgpack_pack_array(p, 4);
    msgpack_pack_double(p, a->x0);
    msgpack_pack_double(p, a->y0);
    msgpack_pack_double(p, a->x1);
    msgpack_pack_double(p, a->y1);
}

static void pack_limits(msgpack_packer *p, const limits *of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; limits_info(i) != NULL; i++) {
        count += limits_get(of, limits_info(i)) != UINT64_MAX;
    }
    msgpack_pack_map(p, count);
    for (uint32_t i = 0; limits_info(i) != NULL; i++) {
        uint64_t value = limits_get(of, limits_info(i));
        if (value != UINT64_MAX) {
            pack_text(p, limits_info(i)->name);
            msgpack_pack_uint64(p, value);
        }
    }
}

// [subject, role, expires, worlds or nil, areas, limits]
static void pack_grant(msgpack_packer *p, const grant *g)
{
    if (g == NULL) {
        msgpack_pack_nil(p);
        return;
    }
    msgpack_pack_array(p, 6);
    pack_text(p, g->subject);
    msgpack_pack_int(p, (int)g->role);
    msgpack_pack_double(p, g->expires);
    if (g->all_worlds) {
        msgpack_pack_nil(p);
    } else {
        msgpack_pack_array(p, g->world_count);
        for (uint32_t i = 0; i < g->world_count; i++) {
            msgpack_pack_array(p, 2);
            pack_text(p, g->worlds[i].text);
            pack_bool(p, g->worlds[i].prefix);
        }
    }
    msgpack_pack_array(p, g->area_count);
    for (uint32_t i = 0; i < g->area_count; i++) {
        pack_area(p, &g->areas[i]);
    }
    pack_limits(p, &g->limits);
}

static void pack_head(msgpack_packer *p, uint32_t elements, int kind, uint64_t number)
{
    msgpack_pack_array(p, elements);
    msgpack_pack_int(p, kind);
    msgpack_pack_uint64(p, number);
}

static void pack_session(buffer *out, const session *s)
{
    msgpack_packer p = buffer_packer(out);
    secret digest = s->secret_digested ? s->secret : secret_digest(&s->secret);
    pack_head(&p, 7, RECORD_SESSION, s->key.number);
    msgpack_pack_uint32(&p, s->key.slot);
    msgpack_pack_bin(&p, sizeof digest.bytes);
    msgpack_pack_bin_body(&p, digest.bytes, sizeof digest.bytes);
    msgpack_pack_double(&p, s->since);
    pack_text(&p, s->client);
    pack_grant(&p, s->grant);
}

static void pack_subscription(buffer *out, const session *s, const session_subscription *of)
{
    const subscribe_args *a = &of->args;
    msgpack_packer p = buffer_packer(out);
    pack_head(&p, 6, RECORD_SUBSCRIPTION, s->key.number);
    msgpack_pack_uint64(&p, of->number);
    msgpack_pack_uint64(&p, of->world);
    pack_text(&p, of->world_name);
    msgpack_pack_array(&p, 15);
    msgpack_pack_double(&p, a->rate);
    msgpack_pack_int(&p, (int)a->encoding);
    if (a->has_area) {
        pack_area(&p, &a->area);
    } else {
        msgpack_pack_nil(&p);
    }
    pack_bool(&p, a->bodies);
    msgpack_pack_uint32(&p, a->events);
    pack_bool(&p, a->contacts);
    pack_bool(&p, a->describe);
    msgpack_pack_double(&p, a->precision.position);
    msgpack_pack_double(&p, a->precision.angle);
    msgpack_pack_double(&p, a->precision.velocity);
    msgpack_pack_uint64(&p, a->follow);
    pack_bool(&p, a->own_margin);
    msgpack_pack_double(&p, a->margin);
    msgpack_pack_double(&p, a->budget);
    msgpack_pack_uint32(&p, a->compact);
}

// ---- the file

static void fail(server *s, const char *what)
{
    if (!s->ledger.failed) {
        log_error("%s/sessions: %s: %s; a restart will not know all sessions", s->options->data,
                  what, strerror(errno));
        s->ledger.failed = true;
    }
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

// Puts a record's head before the payload that lies behind HEAD_BYTES of the buffer.
static void seal(buffer *record)
{
    ASSERT(!record->overflow && record->size > HEAD_BYTES);
    uint32_t size = (uint32_t)(record->size - HEAD_BYTES);
    put32(record->data, size);
    put32(record->data + 4, crc32c(0, record->data + HEAD_BYTES, size));
}

static void begin_record(buffer *record)
{
    static const uint8_t head[HEAD_BYTES] = {0};
    buffer_clear(record);
    buffer_append(record, head, sizeof head);
}

static bool write_sealed(int fd, buffer *record)
{
    seal(record);
    return write_all(fd, record->data, record->size);
}

static bool write_sessions(const server *s, int fd)
{
    buffer record;
    buffer_init(&record, LEDGER_RECORD_BYTES_MAX);
    bool good = write_all(fd, MAGIC, sizeof MAGIC);
    for (uint32_t i = 0; i < s->sessions.count && good; i++) {
        const session *one = s->sessions.data[i];
        if (one == NULL || !one->noted) {
            continue;
        }
        begin_record(&record);
        pack_session(&record, one);
        good = write_sealed(fd, &record);
        for (uint32_t k = 0; k < one->subscriptions.count && good; k++) {
            begin_record(&record);
            pack_subscription(&record, one, &one->subscriptions.data[k]);
            good = write_sealed(fd, &record);
        }
    }
    buffer_deinit(&record);
    return good;
}

// The file anew, from the table of sessions, in one step.
static void rewrite(server *s)
{
    char next[PATH_BYTES];
    char path[PATH_BYTES];
    path_of(s, ".new", next);
    path_of(s, "", path);
    int fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fd >= 0 && write_sessions(s, fd) && rename(next, path) == 0;
    if (!good) {
        fail(s, "cannot be written anew");
        if (fd >= 0) {
            (void)close(fd);
        }
        s->ledger.bytes = 0; // tried again when as much has come
        return;
    }
    if (s->ledger.fd >= 0) {
        (void)close(s->ledger.fd);
    }
    s->ledger.fd = fd;
    s->ledger.bytes = 0;
    s->ledger.failed = false;
}

static void append(server *s, buffer *record)
{
    if (s->ledger.fd >= 0 && !s->ledger.failed && !write_sealed(s->ledger.fd, record)) {
        fail(s, "cannot be written");
    }
    s->ledger.bytes += record->size;
    if (s->ledger.bytes >= LEDGER_GROWTH_BYTES) {
        rewrite(s);
    }
}

// ---- what happens

static bool writes(const session *s)
{
    return serves(s->server) && s->server->ledger.fd >= 0 && !s->server->draining && s->noted;
}

void ledger_note(session *s)
{
    if (!serves(s->server) || !s->resumable || s->over) {
        return;
    }
    s->noted = true;
    if (writes(s)) {
        buffer record;
        buffer_init(&record, LEDGER_RECORD_BYTES_MAX);
        begin_record(&record);
        pack_session(&record, s);
        append(s->server, &record);
        buffer_deinit(&record);
    }
}

void ledger_note_subscription(session *s, const session_subscription *made)
{
    if (writes(s)) {
        buffer record;
        buffer_init(&record, LEDGER_RECORD_BYTES_MAX);
        begin_record(&record);
        pack_subscription(&record, s, made);
        append(s->server, &record);
        buffer_deinit(&record);
    }
}

static void note_end(session *s, int kind, uint64_t subscription)
{
    buffer record;
    buffer_init(&record, LEDGER_RECORD_BYTES_MAX);
    begin_record(&record);
    msgpack_packer p = buffer_packer(&record);
    pack_head(&p, kind == RECORD_END ? 2 : 3, kind, s->key.number);
    if (kind != RECORD_END) {
        msgpack_pack_uint64(&p, subscription);
    }
    append(s->server, &record);
    buffer_deinit(&record);
}

void ledger_drop_subscription(session *s, uint64_t number)
{
    if (writes(s)) {
        note_end(s, RECORD_UNSUBSCRIBED, number);
    }
}

void ledger_end(session *s)
{
    if (writes(s)) {
        s->noted = false; // before: the file may be written anew
        note_end(s, RECORD_END, 0);
    }
}

bool ledger_keeps(const session *s)
{
    const ledger *l = &s->server->ledger;
    return s->server->draining && s->noted && l->fd >= 0 && !l->failed;
}

// ---- reading: every getter says whether the element is there and of its kind

typedef struct reader {
    const msgpack_object *at;
    uint32_t left;
    bool good;
} reader;

static reader read_array(const msgpack_object *o)
{
    bool array = o != NULL && o->type == MSGPACK_OBJECT_ARRAY;
    return (reader){array ? o->via.array.ptr : NULL, array ? o->via.array.size : 0, array};
}

static const msgpack_object *next(reader *r)
{
    if (r->left == 0) {
        r->good = false;
        return NULL;
    }
    r->left--;
    return r->at++;
}

static uint64_t next_uint(reader *r, uint64_t most)
{
    const msgpack_object *o = next(r);
    bool fits = o != NULL && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= most;
    r->good = r->good && fits;
    return fits ? o->via.u64 : 0;
}

static double next_number(reader *r)
{
    const msgpack_object *o = next(r);
    bool fits =
        o != NULL && (o->type == MSGPACK_OBJECT_FLOAT64 || o->type == MSGPACK_OBJECT_FLOAT32);
    r->good = r->good && fits;
    return fits ? o->via.f64 : 0.0;
}

static bool next_bool(reader *r)
{
    const msgpack_object *o = next(r);
    r->good = r->good && o != NULL && o->type == MSGPACK_OBJECT_BOOLEAN;
    return r->good && o->via.boolean;
}

static void next_text(reader *r, char *out, size_t size)
{
    const msgpack_object *o = next(r);
    bool fits = o != NULL && o->type == MSGPACK_OBJECT_STR && o->via.str.size < size;
    r->good = r->good && fits;
    size_t length = fits ? o->via.str.size : 0;
    if (length > 0) {
        memcpy(out, o->via.str.ptr, length);
    }
    out[length] = '\0';
}

static area next_area(reader *r)
{
    reader corners = read_array(next(r));
    area a;
    a.x0 = next_number(&corners);
    a.y0 = next_number(&corners);
    a.x1 = next_number(&corners);
    a.y1 = next_number(&corners);
    r->good = r->good && corners.good;
    return a;
}

static void read_worlds(grant *g, reader *r)
{
    const msgpack_object *o = next(r);
    g->all_worlds = o != NULL && o->type == MSGPACK_OBJECT_NIL;
    if (g->all_worlds) {
        return;
    }
    reader worlds = read_array(o);
    r->good = r->good && worlds.good && worlds.left <= AUTH_WORLDS_MAX;
    g->worlds = calloc(AUTH_WORLDS_MAX, sizeof *g->worlds);
    ASSERT(g->worlds != NULL);
    while (r->good && worlds.left > 0) {
        grant_world *w = &g->worlds[g->world_count++];
        reader pair = read_array(next(&worlds));
        next_text(&pair, w->text, sizeof w->text);
        w->prefix = next_bool(&pair);
        r->good = pair.good;
    }
}

static void read_areas(grant *g, reader *r)
{
    reader areas = read_array(next(r));
    r->good = r->good && areas.good && areas.left <= AUTH_AREAS_MAX;
    g->areas = calloc(AUTH_AREAS_MAX, sizeof *g->areas);
    ASSERT(g->areas != NULL);
    while (r->good && areas.left > 0) {
        g->areas[g->area_count++] = next_area(&areas);
        r->good = areas.good;
    }
}

static void read_limits(grant *g, reader *r)
{
    const msgpack_object *o = next(r);
    r->good = r->good && o != NULL && o->type == MSGPACK_OBJECT_MAP;
    for (uint32_t i = 0; r->good && i < o->via.map.size; i++) {
        const msgpack_object *key = &o->via.map.ptr[i].key;
        const msgpack_object *value = &o->via.map.ptr[i].val;
        r->good = key->type == MSGPACK_OBJECT_STR && value->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
        for (uint32_t k = 0; r->good && limits_info(k) != NULL; k++) {
            const limit_info *info = limits_info(k);
            if (strlen(info->name) == key->via.str.size &&
                memcmp(info->name, key->via.str.ptr, key->via.str.size) == 0) {
                memcpy((char *)&g->limits + info->offset, &value->via.u64, sizeof(uint64_t));
            }
        }
    }
}

// NULL for nil, and for what is no grant (then `r` is not good).
static grant *next_grant(reader *r)
{
    const msgpack_object *o = next(r);
    if (o == NULL || o->type == MSGPACK_OBJECT_NIL) {
        return NULL;
    }
    reader parts = read_array(o);
    grant *g = grant_create();
    next_text(&parts, g->subject, sizeof g->subject);
    g->role = (role)next_uint(&parts, ROLE_ADMIN);
    g->expires = next_number(&parts);
    read_worlds(g, &parts);
    read_areas(g, &parts);
    read_limits(g, &parts);
    r->good = r->good && parts.good;
    if (!r->good) {
        grant_free(g);
        return NULL;
    }
    return g;
}

// ---- sessions from records

static session *session_of(const server *s, uint64_t number)
{
    for (uint32_t i = s->detached.count; i > 0; i--) { // mostly that of the record before
        if (s->detached.data[i - 1]->key.number == number) {
            return s->detached.data[i - 1];
        }
    }
    return NULL;
}

static session *make_session(server *s, uint64_t number, uint32_t slot)
{
    while (s->sessions.count <= slot) {
        array_push(&s->sessions, NULL);
    }
    session *made = calloc(1, sizeof *made);
    ASSERT(made != NULL);
    made->server = s;
    made->key = (session_key){.slot = slot, .number = number};
    made->resumable = made->secret_digested = made->noted = made->introduced = true;
    rights_begin(made);
    s->sessions.data[slot] = made;
    return made;
}

static bool read_session(server *s, uint64_t number, reader *r)
{
    uint32_t slot = (uint32_t)next_uint(r, SESSION_MARK_SLOTS_MAX - 1);
    const msgpack_object *digest = next(r);
    double since = next_number(r);
    char client[WIRE_CLIENT_NAME_MAX + 1];
    next_text(r, client, sizeof client);
    grant *granted = next_grant(r);
    if (!r->good || digest->type != MSGPACK_OBJECT_BIN || digest->via.bin.size != SECRET_BYTES) {
        grant_free(granted);
        return false;
    }
    session *found = session_of(s, number);
    if (found == NULL) {
        if (slot < s->sessions.count && s->sessions.data[slot] != NULL) {
            resume_end(s->sessions.data[slot]); // its end was not written
        }
        found = make_session(s, number, slot);
        resume_detach(found);
    }
    memcpy(found->secret.bytes, digest->via.bin.ptr, SECRET_BYTES);
    found->since = since;
    memcpy(found->client, client, sizeof client);
    if (s->keys != NULL && granted != NULL) {
        rights_take(found, granted);
    } else {
        grant_free(granted);
    }
    return true;
}

// Reads the part that records of earlier versions lack.
static void read_rest(subscribe_args *a, reader *r)
{
    a->precision = (snapshot_precision){.position = 1.0 / 512.0, .angle = TURN / 1024.0};
    if (r->left > 0) {
        a->precision.position = next_number(r);
        a->precision.angle = next_number(r);
        a->precision.velocity = next_number(r);
        a->follow = next_uint(r, UINT64_MAX >> 11);
        a->own_margin = next_bool(r);
        a->margin = next_number(r);
        a->budget = next_number(r);
    }
    a->compact = r->left > 0 ? (uint32_t)next_uint(r, UINT32_MAX) : 0;
}

static bool read_subscription(session *of, reader *r)
{
    session_subscription made = {.number = next_uint(r, UINT64_MAX >> 11),
                                 .world = next_uint(r, UINT64_MAX)};
    subscribe_args *a = &made.args;
    next_text(r, made.world_name, sizeof made.world_name);
    reader args = read_array(next(r));
    a->rate = next_number(&args);
    a->encoding = (snapshot_encoding)next_uint(&args, ENCODING_COUNT - 1);
    a->has_area = args.left > 0 && args.at->type == MSGPACK_OBJECT_ARRAY;
    if (a->has_area) {
        a->area = next_area(&args);
    } else {
        (void)next(&args);
    }
    a->bodies = next_bool(&args);
    a->events = (uint32_t)next_uint(&args, UINT32_MAX);
    a->contacts = next_bool(&args);
    a->describe = next_bool(&args);
    read_rest(a, &args);
    if (!r->good || !args.good) {
        return false;
    }
    session_subscription *known = of != NULL ? session_find_subscription(of, made.number) : NULL;
    if (known != NULL) {
        *known = made;
    } else if (of != NULL && of->subscriptions.count < of->bounds.subscriptions_per_connection) {
        array_push(&of->subscriptions, made);
    }
    return true;
}

static void drop(session *of, uint64_t number)
{
    const session_subscription *found = session_find_subscription(of, number);
    if (found != NULL) {
        array_swap_remove(&of->subscriptions, found - of->subscriptions.data);
    }
}

static bool read_record(server *s, const msgpack_object *o)
{
    reader r = read_array(o);
    uint64_t kind = next_uint(&r, RECORD_END);
    uint64_t number = next_uint(&r, UINT64_MAX);
    if (!r.good || number == 0) {
        return false;
    }
    s->next_session = number >= s->next_session ? number + 1 : s->next_session;
    session *of = session_of(s, number);
    switch (kind) {
    case RECORD_SESSION:
        return read_session(s, number, &r);
    case RECORD_SUBSCRIPTION:
        return read_subscription(of, &r);
    case RECORD_UNSUBSCRIBED: {
        uint64_t subscription = next_uint(&r, UINT64_MAX);
        if (of != NULL && r.good) {
            drop(of, subscription);
        }
        return r.good;
    }
    default:
        if (of != NULL) {
            array_clear(&of->subscriptions); // no world knows of them yet
            resume_end(of);
        }
        return true;
    }
}

// Up to the first record that is none: a torn write, or damage, which is told.
static void read_records(server *s, const uint8_t *bytes, size_t size)
{
    size_t at = MAGIC_BYTES;
    bool good = true;
    while (good && at + HEAD_BYTES <= size) {
        uint32_t length = get32(bytes + at);
        const uint8_t *payload = bytes + at + HEAD_BYTES;
        good = length <= LEDGER_RECORD_BYTES_MAX && length <= size - at - HEAD_BYTES &&
               crc32c(0, payload, length) == get32(bytes + at + 4);
        if (good) {
            msgpack_unpacked unpacked;
            msgpack_unpacked_init(&unpacked);
            size_t offset = 0;
            good = msgpack_unpack_next(&unpacked, (const char *)payload, length, &offset) ==
                       MSGPACK_UNPACK_SUCCESS &&
                   read_record(s, &unpacked.data);
            msgpack_unpacked_destroy(&unpacked);
            at += HEAD_BYTES + length;
        }
    }
    if (!good || at != size) {
        log_warn("%s/sessions: what comes after the first %zu of %zu bytes was not written whole",
                 s->options->data, at < size ? at : size, size);
    }
}

static void read_file(server *s)
{
    char path[PATH_BYTES];
    path_of(s, "", path);
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        if (errno != ENOENT) {
            fail(s, "cannot be read");
        }
        return;
    }
    struct stat is;
    bool regular = fstat(fileno(file), &is) == 0 && S_ISREG(is.st_mode) && is.st_size > 0;
    size_t size = regular ? (size_t)is.st_size : 0;
    uint8_t *bytes = malloc(size + 1);
    ASSERT(bytes != NULL);
    size_t have = fread(bytes, 1, size, file);
    (void)fclose(file);
    if (have >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0) {
        read_records(s, bytes, have);
    } else if (have > 0) {
        log_warn("%s is no file of sessions; it is written anew", path);
    }
    free(bytes);
}

void ledger_open(server *s)
{
    s->ledger.fd = -1;
    if (!serves(s)) {
        return;
    }
    s->sessions.count = 0;
    read_file(s);
    array_clear(&s->free_slots);
    for (uint32_t slot = s->sessions.count; slot > 0; slot--) {
        if (s->sessions.data[slot - 1] == NULL) {
            array_push(&s->free_slots, slot - 1);
        }
    }
    if (s->detached.count > 0) {
        log_info("%u sessions can be resumed within %llu ms", s->detached.count,
                 (unsigned long long)s->limits->resume_ms);
    }
    rewrite(s);
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
    r->again = true;
    rights_limit_sight(s, &r->command);
    r->subscription = of->number;
    r->reply_to.session = s->key;
    rights_sign(s, r);
    error err;
    return worlds_send(s->server, entry, r, &err) == STATUS_OK;
}

typedef struct wanted {
    session *of;
    uint64_t number;
} wanted;

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = ((const wanted *)a)->number;
    uint64_t y = ((const wanted *)b)->number;
    return (x > y) - (x < y);
}

// In the order in which they were made, which worlds count on.
void ledger_subscribe(server *s)
{
    ARRAY(wanted) all = {0};
    for (uint32_t i = 0; i < s->detached.count; i++) {
        session *one = s->detached.data[i];
        for (uint32_t k = 0; k < one->subscriptions.count; k++) {
            array_push(&all, ((wanted){one, one->subscriptions.data[k].number}));
        }
    }
    if (all.count > 0) {
        qsort(all.data, all.count, sizeof *all.data, compare_numbers);
        s->next_subscription = all.data[all.count - 1].number + 1;
    }
    for (uint32_t i = 0; i < all.count; i++) {
        const session_subscription of =
            *session_find_subscription(all.data[i].of, all.data[i].number);
        if (!subscribe(all.data[i].of, &of)) {
            session_drop_subscription(all.data[i].of, of.number);
        }
    }
    array_free(&all);
}

void ledger_close(server *s)
{
    if (serves(s) && s->ledger.fd >= 0) {
        (void)close(s->ledger.fd);
    }
    s->ledger.fd = -1;
}
