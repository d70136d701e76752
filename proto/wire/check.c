// One pass over the bytes with a stack of the open containers. The keys of all open maps lie in one
// array, those of an inner map after those of the outer, so that a map's keys are at its end when
// it closes; there they are compared.
#include "proto/wire/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/vector.h"
#include "common/base/utf8.h"
#include "proto/limits.h"
#include "common/base/tag.h"

// Maps of at most this many keys are compared pairwise; larger ones are sorted.
enum { PAIRWISE_MAX = 16 };

typedef enum key_kind {
    KEY_TEXT,    // str or bin
    KEY_INTEGER, // its width does not matter
    KEY_OTHER
} key_kind;

typedef struct map_key {
    const uint8_t *bytes; // the contents of a text, else the whole encoding
    uint32_t size;
    key_kind kind;
} map_key;

typedef struct frame {
    uint32_t left;  // values still to come, including keys
    uint32_t count; // number of all values
    uint32_t keys;  // index of the map's first key
    bool map;
} frame;

typedef struct checker {
    const uint8_t *begin, *at, *end;
    frame frames[WIRE_DEPTH_MAX];
    uint32_t depth;
    VECTOR(map_key) keys;
    error *err;
} checker;

// The frames outside the arguments: the message and its params.
enum { ENVELOPE_DEPTH = 2 };

// An integer, whatever its width: a reader of the canonical form, which has the shortest one,
// could not distinguish two widths of one number.
static uint64_t key_integer(const map_key *key, bool *negative)
{
    return tag_integer(key->bytes[0], key->bytes + 1, negative);
}

// Writes a key as a text shows it: a string or an integer, else "?".
static const char *write_key(const map_key *key, char out[UTF8_QUOTE_MAX])
{
    if (key->kind == KEY_TEXT) {
        return utf8_quote(out, key->bytes, key->size);
    }
    if (key->kind == KEY_OTHER) {
        return "?";
    }
    bool negative;
    const uint64_t number = key_integer(key, &negative);
    if (negative) {
        snprintf(out, UTF8_QUOTE_MAX, "%" PRId64, (int64_t)number);
    } else {
        snprintf(out, UTF8_QUOTE_MAX, "%" PRIu64, number);
    }
    return out;
}

// Writes where in the arguments the current value is: "commands[3][1].velocity[0]".
static void write_path(const checker *c, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t d = ENVELOPE_DEPTH; d < c->depth && used < size; d++) {
        const frame *f = &c->frames[d];
        // `left` no longer counts the value that is being read.
        uint32_t done = f->count - f->left - 1;
        char quoted[UTF8_QUOTE_MAX];
        int n;
        if (f->map) {
            // The keys of deeper maps follow the keys of this map: find this map's last key.
            uint32_t last = f->keys + done / 2;
            bool known = last < c->keys.count;
            n = snprintf(out + used, size - used, "%s%s", used > 0 ? "." : "",
                         known ? write_key(&c->keys.data[last], quoted) : "?");
        } else {
            n = snprintf(out + used, size - used, "[%u]", done);
        }
        used += n > 0 ? (size_t)n : 0;
    }
}

static status refuse(const checker *c, const uint8_t *where, const char *text)
{
    char path[160];
    write_path(c, path, sizeof path);
    if (path[0] != '\0') {
        return error_set(c->err, STATUS_INVALID_ARGUMENT, "%s: %s", path, text);
    }
    return error_set(c->err, STATUS_INVALID_ARGUMENT, "byte %zu: %s", (size_t)(where - c->begin),
                     text);
}

static int compare_integers(const map_key *a, const map_key *b)
{
    bool a_negative, b_negative;
    const uint64_t x = key_integer(a, &a_negative);
    const uint64_t y = key_integer(b, &b_negative);
    if (a_negative != b_negative) {
        return a_negative ? -1 : 1;
    }
    return x == y ? 0 : x < y ? -1 : 1; // also right for two negative ones: two's complement
}

static int compare_keys(const void *left, const void *right)
{
    const map_key *a = left;
    const map_key *b = right;
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->kind == KEY_INTEGER) {
        return compare_integers(a, b);
    }
    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    return a->size == 0 ? 0 : memcmp(a->bytes, b->bytes, a->size);
}

// Returns a key that occurs twice, or NULL.
static const map_key *find_doubled(map_key *keys, uint32_t count)
{
    if (count > PAIRWISE_MAX) {
        qsort(keys, count, sizeof *keys, compare_keys);
        for (uint32_t i = 1; i < count; i++) {
            if (compare_keys(&keys[i - 1], &keys[i]) == 0) {
                return &keys[i];
            }
        }
        return NULL;
    }
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (compare_keys(&keys[i], &keys[j]) == 0) {
                return &keys[i];
            }
        }
    }
    return NULL;
}

static status close_map(checker *c)
{
    const frame *f = &c->frames[c->depth - 1];
    const map_key *doubled = find_doubled(c->keys.data + f->keys, c->keys.count - f->keys);
    if (doubled != NULL) {
        char quoted[UTF8_QUOTE_MAX];
        char text[UTF8_QUOTE_MAX + 32];
        snprintf(text, sizeof text,
                 doubled->kind == KEY_TEXT ? "the key '%s' is there twice"
                                           : "the key %s is there twice",
                 write_key(doubled, quoted));
        c->depth--; // the path is that of the map
        return refuse(c, doubled->bytes, text);
    }
    c->keys.count = f->keys;
    return STATUS_OK;
}

// Counts the current value as done, and closes each container whose last value it was.
static status close_containers(checker *c)
{
    while (c->depth > 0 && c->frames[c->depth - 1].left == 0) {
        if (c->frames[c->depth - 1].map) {
            status s = close_map(c);
            if (s != STATUS_OK) {
                return s;
            }
        }
        c->depth--;
    }
    return STATUS_OK;
}

static bool float_is_finite(const uint8_t *body, uint64_t size)
{
    // All bits of the exponent are set: NaN or infinity.
    if (size == 4) {
        return (body[0] & 0x7F) != 0x7F || (body[1] & 0x80) == 0;
    }
    return (body[0] & 0x7F) != 0x7F || (body[1] & 0xF0) != 0xF0;
}

static status check_scalar(checker *c, const value_head *head, const uint8_t *start)
{
    const uint8_t *body = start + head->size;
    ASSERT(head->length <= (uint64_t)(c->end - body));
    if (head->kind == TAG_FLOAT && !float_is_finite(body, head->length)) {
        return refuse(c, start, "not a finite number");
    }
    if (head->kind == TAG_STR && !utf8_valid(body, (size_t)head->length)) {
        return refuse(c, start, "the string is not UTF-8");
    }
    return STATUS_OK;
}

static bool is_container(tag_kind kind)
{
    return kind == TAG_ARRAY || kind == TAG_MAP;
}

static status note_key(checker *c, const value_head *head, const uint8_t *start)
{
    if (is_container(head->kind)) {
        c->depth--; // the path is that of the map
        return refuse(c, start, "a map's key must not be an array or a map");
    }
    bool text = head->kind == TAG_STR || head->kind == TAG_BIN;
    uint32_t length = (uint32_t)head->length;
    map_key key = {text ? start + head->size : start, text ? length : head->size + length,
                   text                        ? KEY_TEXT
                   : head->kind == TAG_INTEGER ? KEY_INTEGER
                                               : KEY_OTHER};
    if (text && head->kind == TAG_BIN && !utf8_valid(key.bytes, key.size)) {
        return refuse(c, start, "the key is not UTF-8");
    }
    return vector_push(&c->keys, key) ? STATUS_OK
                                      : error_set(c->err, STATUS_INTERNAL, "out of memory");
}

static status check_value(checker *c)
{
    const uint8_t *start = c->at;
    value_head head;
    bool whole = value_head_read(start, (size_t)(c->end - start), &head);
    ASSERT(whole && head.kind != TAG_RESERVED); // the scanner has checked these bytes
    bool key = false;
    if (c->depth > 0) {
        frame *f = &c->frames[c->depth - 1];
        key = f->map && f->left % 2 == 0;
        f->left--;
    }
    status s = key ? note_key(c, &head, start) : STATUS_OK;
    if (s != STATUS_OK) {
        return s;
    }
    c->at = start + head.size;
    if (!is_container(head.kind)) {
        s = check_scalar(c, &head, start);
        c->at += head.length;
        return s;
    }
    if (head.length > 0) {
        ASSERT(c->depth < WIRE_DEPTH_MAX);
        bool map = head.kind == TAG_MAP;
        uint32_t count = (uint32_t)head.length * (map ? 2 : 1);
        c->frames[c->depth++] = (frame){count, count, c->keys.count, map};
    }
    return STATUS_OK;
}

status message_check(const void *bytes, size_t size, error *err)
{
    checker c = {.begin = bytes, .at = bytes, .end = (const uint8_t *)bytes + size, .err = err};
    status s;
    do {
        s = check_value(&c);
        if (s == STATUS_OK) {
            s = close_containers(&c);
        }
    } while (s == STATUS_OK && c.depth > 0);
    ASSERT(s != STATUS_OK || c.at == c.end);
    vector_free(&c.keys);
    return s;
}
