// Requests and answers of etcd's JSON gateway; see etcd.h.
#include "server/fleet/etcd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/base/assert.h"
#include "server/fleet/base64.h"

void store_entry_free(store_entry *e)
{
    free(e->key);
    free(e->value);
    *e = (store_entry){0};
}

void store_entries_free(store_entries *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        store_entry_free(&all->data[i]);
    }
    array_free(all);
}

void etcd_answer_deinit(etcd_answer *a)
{
    store_entries_free(&a->entries);
}

// ---- requests

typedef struct text {
    FILE *file;
    char *data;
    size_t size;
} text;

static void text_begin(text *t)
{
    t->file = open_memstream(&t->data, &t->size);
    ASSERT_MEMORY(t->file != NULL);
}

static char *text_end(text *t)
{
    const int failed = fclose(t->file);
    ASSERT_MEMORY(failed == 0);
    return t->data;
}

static void put_bytes(text *t, const char *name, const void *data, size_t size)
{
    char *encoded = malloc(BASE64_SIZE(size) + 1);
    ASSERT_MEMORY(encoded != NULL);
    base64_encode(data, size, encoded);
    fprintf(t->file, "\"%s\":\"%s\"", name, encoded);
    free(encoded);
}

// The first key behind those that begin with the prefix: its last byte plus one.
static void put_prefix_end(text *t, const char *prefix)
{
    const size_t size = strlen(prefix);
    ASSERT(size > 0);
    char *end = strdup(prefix);
    ASSERT_MEMORY(end != NULL && (uint8_t)end[size - 1] != 0xff);
    end[size - 1]++;
    put_bytes(t, "range_end", end, size);
    free(end);
}

char *etcd_range(const char *from, size_t from_size, const char *prefix, int64_t revision)
{
    text t;
    text_begin(&t);
    fputc('{', t.file);
    put_bytes(&t, "key", from, from_size);
    fputc(',', t.file);
    put_prefix_end(&t, prefix);
    fprintf(t.file, ",\"limit\":\"%d\",\"revision\":\"%" PRId64 "\"}", ETCD_PAGE, revision);
    return text_end(&t);
}

static void put_compare(text *t, const store_op *op)
{
    fputc('{', t->file);
    put_bytes(t, "key", op->key, strlen(op->key));
    if (op->modified == 0) {
        fputs(",\"target\":\"CREATE\",\"result\":\"EQUAL\",\"create_revision\":\"0\"}", t->file);
    } else {
        fprintf(t->file,
                ",\"target\":\"MOD\",\"result\":\"EQUAL\",\"mod_revision\":\"%" PRId64 "\"}",
                op->modified);
    }
}

static void put_change(text *t, const store_op *op)
{
    fputs(op->value != NULL ? "{\"request_put\":{" : "{\"request_delete_range\":{", t->file);
    put_bytes(t, "key", op->key, strlen(op->key));
    if (op->value != NULL) {
        fputc(',', t->file);
        put_bytes(t, "value", op->value, op->value_size);
        fprintf(t->file, ",\"lease\":\"%" PRId64 "\"", op->lease);
    }
    fputs("}}", t->file);
}

char *etcd_transaction(const store_op *ops, uint32_t count)
{
    text t;
    bool compared = false;
    ASSERT(count > 0 && count <= ETCD_OPS_MAX);
    text_begin(&t);
    fputs("{\"compare\":[", t.file);
    for (uint32_t i = 0; i < count; i++) {
        if (!ops[i].any) {
            fputs(compared ? "," : "", t.file);
            put_compare(&t, &ops[i]);
            compared = true;
        }
    }
    fputs("],\"success\":[", t.file);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", t.file);
        put_change(&t, &ops[i]);
    }
    fputs("],\"failure\":[", t.file);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ",{\"request_range\":{" : "{\"request_range\":{", t.file);
        put_bytes(&t, "key", ops[i].key, strlen(ops[i].key));
        fputs("}}", t.file);
    }
    fputs("]}", t.file);
    return text_end(&t);
}

char *etcd_watch(const char *prefix, int64_t start_revision)
{
    text t;
    ASSERT(start_revision > 0); // 0 would mean "from now", and lose changes
    text_begin(&t);
    fputs("{\"create_request\":{", t.file);
    put_bytes(&t, "key", prefix, strlen(prefix));
    fputc(',', t.file);
    put_prefix_end(&t, prefix);
    fprintf(t.file, ",\"start_revision\":\"%" PRId64 "\"}}", start_revision);
    return text_end(&t);
}

static char *number_request(const char *name, int64_t number)
{
    text t;
    text_begin(&t);
    fprintf(t.file, "{\"%s\":\"%" PRId64 "\"}", name, number);
    return text_end(&t);
}

char *etcd_lease_grant(int64_t ttl_s)
{
    return number_request("TTL", ttl_s);
}

char *etcd_lease(int64_t lease)
{
    return number_request("ID", lease);
}

// ---- answers

static status nonsense(error *err, const char *what)
{
    return error_set(err, STATUS_UNAVAILABLE, "not an answer of etcd: %s", what);
}

// A 64-bit number: a string of digits, or a JSON integer. Absent: 0.
static bool read_number(const json_t *in, const char *name, int64_t *out)
{
    const json_t *found = json_object_get(in, name);
    *out = 0;
    if (found == NULL) {
        return true;
    }
    if (json_is_integer(found)) {
        *out = json_integer_value(found);
        return *out >= 0;
    }
    const char *digits = json_string_value(found);
    if (digits == NULL || *digits < '0' || *digits > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(digits, &end, 10);
    *out = number;
    return *end == '\0' && errno == 0;
}

// Clusters are numbered with all 64 bits.
static bool read_cluster(const json_t *header, uint64_t *out)
{
    const char *digits = json_string_value(json_object_get(header, "cluster_id"));
    if (digits == NULL || *digits < '0' || *digits > '9') {
        return false;
    }
    char *end = NULL;
    errno = 0;
    *out = strtoull(digits, &end, 10);
    return *end == '\0' && errno == 0;
}

static bool read_flag(const json_t *in, const char *name, bool *out)
{
    const json_t *found = json_object_get(in, name);
    *out = json_is_true(found);
    return found == NULL || json_is_boolean(found);
}

// Absent: empty, as the gateway leaves empty bytes out.
static bool read_bytes(const json_t *in, const char *name, uint8_t **out, size_t *out_size)
{
    const json_t *found = json_object_get(in, name);
    const char *encoded = found != NULL ? json_string_value(found) : "";
    if (encoded == NULL) {
        return false;
    }
    const size_t size = strlen(encoded);
    *out = malloc(size / 4 * 3 + 1);
    ASSERT_MEMORY(*out != NULL);
    if (!base64_decode(encoded, size, *out, out_size)) {
        free(*out);
        *out = NULL;
        return false;
    }
    (*out)[*out_size] = '\0';
    return true;
}

static bool read_entry(const json_t *kv, bool removed, store_entry *out)
{
    *out = (store_entry){0};
    uint8_t *key = NULL;
    bool good = json_is_object(kv) && read_bytes(kv, "key", &key, &out->key_size) &&
                out->key_size > 0 && read_number(kv, "create_revision", &out->created) &&
                read_number(kv, "mod_revision", &out->modified) &&
                read_number(kv, "lease", &out->lease) && out->modified > 0;
    out->key = (char *)key;
    good = good && (removed || read_bytes(kv, "value", &out->value, &out->value_size));
    if (!good) {
        store_entry_free(out);
    }
    return good;
}

static bool read_entries(const json_t *kvs, store_entries *out)
{
    if (kvs == NULL) {
        return true;
    }
    if (!json_is_array(kvs)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(kvs); i++) {
        store_entry entry;
        if (!read_entry(json_array_get(kvs, i), false, &entry)) {
            return false;
        }
        array_push(out, entry);
    }
    return true;
}

static bool read_header(const json_t *in, etcd_answer *out)
{
    const json_t *header = json_object_get(in, "header");
    return json_is_object(header) && read_number(header, "revision", &out->revision) &&
           read_cluster(header, &out->cluster);
}

// `field` of the answer must be an object; NULL: the answer itself. A reader returns false for
// nonsense.
typedef bool (*answer_reader)(const json_t *from, const void *context, etcd_answer *out);

static status read_answer(const char *json, size_t size, const char *field, answer_reader read,
                          const void *context, etcd_answer *out, error *err)
{
    json_error_t where;
    json_t *all = json_loadb(json, size, 0, &where);
    if (all == NULL) {
        return nonsense(err, where.text);
    }
    const json_t *from = field != NULL ? json_object_get(all, field) : all;
    etcd_answer answer = {0};
    status s = STATUS_OK;
    if (json_object_get(all, "error") != NULL) {
        (void)etcd_read_error(json, size, err);
        s = STATUS_UNAVAILABLE;
    } else if (!json_is_object(from)) {
        s = nonsense(err, "it is no object of the kind asked for");
    } else if (!read_header(from, &answer)) {
        s = nonsense(err, "it has no header");
    } else if (!read(from, context, &answer)) {
        s = nonsense(err, "a field has a wrong type or value");
    }
    json_decref(all);
    if (s != STATUS_OK) {
        etcd_answer_deinit(&answer);
        return s;
    }
    *out = answer;
    return STATUS_OK;
}

static bool range_reader(const json_t *from, const void *context, etcd_answer *out)
{
    (void)context;
    return read_flag(from, "more", &out->more) &&
           read_entries(json_object_get(from, "kvs"), &out->entries) &&
           (!out->more || out->entries.count > 0);
}

status etcd_read_range(const char *json, size_t size, etcd_answer *out, error *err)
{
    return read_answer(json, size, NULL, range_reader, NULL, out, err);
}

typedef struct transaction {
    const store_op *ops;
    uint32_t count;
} transaction;

// The answer to the range of one key: at most that key.
static bool read_current(const json_t *response, const store_op *op, etcd_answer *out)
{
    const json_t *range = json_object_get(response, "response_range");
    const json_t *kvs = json_object_get(range, "kvs");
    const size_t found = json_array_size(kvs);
    store_entry entry = {0};
    if (!json_is_object(range) || found > 1 || (kvs != NULL && !json_is_array(kvs))) {
        return false;
    }
    if (found == 1 && !read_entry(json_array_get(kvs, 0), false, &entry)) {
        return false;
    }
    const size_t size = strlen(op->key);
    if (found == 0) {
        entry.key = strdup(op->key);
        entry.key_size = size;
        ASSERT_MEMORY(entry.key != NULL);
    }
    const bool same = entry.key_size == size && memcmp(entry.key, op->key, size) == 0;
    array_push(&out->entries, entry);
    return same;
}

static bool transaction_reader(const json_t *from, const void *context, etcd_answer *out)
{
    const transaction *asked = context;
    const json_t *responses = json_object_get(from, "responses");
    if (!read_flag(from, "succeeded", &out->succeeded) ||
        json_array_size(responses) != asked->count || out->revision <= 0) {
        return false;
    }
    bool good = true;
    for (uint32_t i = 0; i < asked->count && good && !out->succeeded; i++) {
        good = read_current(json_array_get(responses, i), &asked->ops[i], out);
    }
    return good;
}

status etcd_read_transaction(const char *json, size_t size, const store_op *ops, uint32_t count,
                             etcd_answer *out, error *err)
{
    const transaction asked = {ops, count};
    return read_answer(json, size, NULL, transaction_reader, &asked, out, err);
}

static bool watch_reader(const json_t *from, const void *context, etcd_answer *out)
{
    (void)context;
    const json_t *events = json_object_get(from, "events");
    if (!read_flag(from, "created", &out->created) ||
        !read_flag(from, "canceled", &out->cancelled) ||
        !read_number(from, "compact_revision", &out->compacted) ||
        (events != NULL && !json_is_array(events))) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const json_t *type = json_object_get(event, "type");
        const char *word = type != NULL ? json_string_value(type) : "PUT";
        const bool removed = word != NULL && strcmp(word, "DELETE") == 0;
        store_entry entry;
        if (word == NULL || (!removed && strcmp(word, "PUT") != 0) ||
            !read_entry(json_object_get(event, "kv"), removed, &entry)) {
            return false;
        }
        array_push(&out->entries, entry);
    }
    return true;
}

status etcd_read_watch(const char *line, size_t size, etcd_answer *out, error *err)
{
    return read_answer(line, size, "result", watch_reader, NULL, out, err);
}

static bool lease_reader(const json_t *from, const void *context, etcd_answer *out)
{
    (void)context;
    return read_number(from, "ID", &out->lease) && read_number(from, "TTL", &out->ttl_s) &&
           out->lease > 0;
}

status etcd_read_lease_grant(const char *json, size_t size, etcd_answer *out, error *err)
{
    return read_answer(json, size, NULL, lease_reader, NULL, out, err);
}

status etcd_read_keepalive(const char *json, size_t size, etcd_answer *out, error *err)
{
    return read_answer(json, size, "result", lease_reader, NULL, out, err);
}

static bool revoke_reader(const json_t *from, const void *context, etcd_answer *out)
{
    (void)from, (void)context, (void)out;
    return true;
}

status etcd_read_revoke(const char *json, size_t size, etcd_answer *out, error *err)
{
    return read_answer(json, size, NULL, revoke_reader, NULL, out, err);
}

// {"error": "text", "code": 5}, or of a stream {"error": {"message": "text", "grpc_code": 5}}.
int etcd_read_error(const char *json, size_t size, error *err)
{
    json_t *all = json_loadb(json, size, 0, NULL);
    const json_t *told = json_object_get(all, "error");
    const json_t *from = json_is_object(told) ? told : all;
    const char *words =
        json_string_value(json_is_object(told) ? json_object_get(told, "message") : told);
    const json_t *code = json_object_get(from, json_is_object(told) ? "grpc_code" : "code");
    const int number = words != NULL && json_is_integer(code) && json_integer_value(code) >= 0 &&
                               json_integer_value(code) <= 16
                           ? (int)json_integer_value(code)
                           : -1;
    if (words != NULL) {
        (void)error_set(err, STATUS_UNAVAILABLE, "etcd: %s", words);
    } else {
        (void)nonsense(err, "an error without a text");
    }
    json_decref(all);
    return number;
}
