// jansson reads; its tree is packed in one walk. Writing is done here, because 64 unsigned
// bits and the "$" forms are not in jansson's tree, and goes straight into the buffer. Both walks
// recurse no deeper than WIRE_DEPTH_MAX.
#include "proto/wire/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "common/base/utf8.h"

typedef enum form { FORM_NONE, FORM_UINT, FORM_FLOAT, FORM_BIN, FORM_EXT, FORM_MAP } form;

static form form_of(const char *key, size_t size)
{
    static const char *const WORDS[] = {"", "$uint", "$float", "$bin", "$ext", "$map"};
    for (int f = FORM_UINT; f <= FORM_MAP; f++) {
        if (strlen(WORDS[f]) == size && memcmp(WORDS[f], key, size) == 0) {
            return (form)f;
        }
    }
    return FORM_NONE;
}

// ---- reading

static status pack_value(msgpack_packer *packer, json_t *value, int depth, error *err);

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Hexadecimal digits, two a byte, with spaces between bytes. The caller frees `out`.
static status read_hex(const json_t *text, const char *word, uint8_t **out, size_t *size,
                       error *err)
{
    if (!json_is_string(text)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s: expected a string of hexadecimal digits", word);
    }
    const char *p = json_string_value(text);
    size_t length = json_string_length(text);
    uint8_t *bytes = malloc(length / 2 + 1);
    if (bytes == NULL) {
        return error_set(err, STATUS_INTERNAL, "out of memory");
    }
    size_t count = 0;
    size_t i = 0;
    while (i < length) {
        if (p[i] == ' ') {
            i++;
            continue;
        }
        int high = hex_digit(p[i]);
        int low = i + 1 < length ? hex_digit(p[i + 1]) : -1;
        if (high < 0 || low < 0) {
            free(bytes);
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "%s: expected two hexadecimal digits for each byte", word);
        }
        bytes[count++] = (uint8_t)(high << 4 | low);
        i += 2;
    }
    *out = bytes;
    *size = count;
    return STATUS_OK;
}

static status pack_bin(msgpack_packer *packer, const json_t *value, error *err)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    status s = read_hex(value, "$bin", &bytes, &size, err);
    if (s == STATUS_OK) {
        msgpack_pack_bin_with_body(packer, bytes, size);
        free(bytes);
    }
    return s;
}

static status pack_ext(msgpack_packer *packer, const json_t *value, error *err)
{
    const json_t *type = json_array_get(value, 0);
    json_int_t number = json_integer_value(type);
    if (json_array_size(value) != 2 || !json_is_integer(type) || number < INT8_MIN ||
        number > INT8_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "$ext: expected [type from -128 to 127, \"hexadecimal digits\"]");
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    status s = read_hex(json_array_get(value, 1), "$ext", &bytes, &size, err);
    if (s == STATUS_OK) {
        msgpack_pack_ext(packer, size, (int8_t)number);
        msgpack_pack_ext_body(packer, bytes, size);
        free(bytes);
    }
    return s;
}

static status pack_uint(msgpack_packer *packer, const json_t *value, error *err)
{
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    uint64_t base = hexadecimal ? 16 : 10;
    uint64_t sum = 0;
    bool good = digits[0] != '\0' && strlen(text) == json_string_length(value);
    for (const char *p = digits; good && *p != '\0'; p++) {
        int digit = hex_digit(*p);
        good = digit >= 0 && (uint64_t)digit < base && sum <= (UINT64_MAX - (uint64_t)digit) / base;
        sum = sum * base + (uint64_t)digit;
    }
    if (!good) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "$uint: expected a string, \"0\" to \"18446744073709551615\" or \"0x…\"");
    }
    msgpack_pack_uint64(packer, sum);
    return STATUS_OK;
}

static status pack_float(msgpack_packer *packer, const json_t *value, error *err)
{
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    if (strcmp(text, "nan") == 0) {
        msgpack_pack_double(packer, (double)NAN);
    } else if (strcmp(text, "inf") == 0) {
        msgpack_pack_double(packer, (double)INFINITY);
    } else if (strcmp(text, "-inf") == 0) {
        msgpack_pack_double(packer, -(double)INFINITY);
    } else {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "$float: expected \"nan\", \"inf\" or \"-inf\"");
    }
    return STATUS_OK;
}

static status pack_map_form(msgpack_packer *packer, json_t *value, int depth, error *err)
{
    size_t count = json_array_size(value);
    bool good = json_is_array(value);
    for (size_t i = 0; i < count; i++) {
        good = good && json_array_size(json_array_get(value, i)) == 2;
    }
    if (!good) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "$map: expected [[key, value] …]");
    }
    msgpack_pack_map(packer, count);
    status s = STATUS_OK;
    for (size_t i = 0; i < 2 * count && s == STATUS_OK; i++) {
        const json_t *pair = json_array_get(value, i / 2);
        s = pack_value(packer, json_array_get(pair, i % 2), depth + 1, err);
    }
    return s;
}

static status pack_object(msgpack_packer *packer, json_t *object, int depth, error *err)
{
    size_t count = json_object_size(object);
    void *at = json_object_iter(object);
    if (count == 1) {
        const char *key = json_object_iter_key(at);
        json_t *value = json_object_iter_value(at);
        switch (form_of(key, strlen(key))) {
        case FORM_UINT:
            return pack_uint(packer, value, err);
        case FORM_FLOAT:
            return pack_float(packer, value, err);
        case FORM_BIN:
            return pack_bin(packer, value, err);
        case FORM_EXT:
            return pack_ext(packer, value, err);
        case FORM_MAP:
            return pack_map_form(packer, value, depth, err);
        case FORM_NONE:
            break;
        }
    }
    msgpack_pack_map(packer, count);
    status s = STATUS_OK;
    for (; at != NULL && s == STATUS_OK; at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at);
        msgpack_pack_str_with_body(packer, key, strlen(key));
        s = pack_value(packer, json_object_iter_value(at), depth + 1, err);
    }
    return s;
}

static status pack_array(msgpack_packer *packer, json_t *array, int depth, error *err)
{
    size_t count = json_array_size(array);
    msgpack_pack_array(packer, count);
    status s = STATUS_OK;
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        s = pack_value(packer, json_array_get(array, i), depth + 1, err);
    }
    return s;
}

static status too_deep(error *err)
{
    return error_set(err, STATUS_LIMIT_EXCEEDED, "nested too deep; the limit is %d",
                     WIRE_DEPTH_MAX);
}

// `depth` containers are open around the value.
static status pack_value(msgpack_packer *packer, json_t *value, int depth, error *err)
{
    bool container = json_is_object(value) || json_is_array(value);
    if (container && depth == WIRE_DEPTH_MAX) {
        return too_deep(err);
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return pack_object(packer, value, depth, err);
    case JSON_ARRAY:
        return pack_array(packer, value, depth, err);
    case JSON_STRING:
        msgpack_pack_str_with_body(packer, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        msgpack_pack_int64(packer, json_integer_value(value));
        break;
    case JSON_REAL:
        msgpack_pack_double(packer, json_real_value(value));
        break;
    case JSON_TRUE:
        msgpack_pack_true(packer);
        break;
    case JSON_FALSE:
        msgpack_pack_false(packer);
        break;
    case JSON_NULL:
        msgpack_pack_nil(packer);
        break;
    }
    return STATUS_OK;
}

// Keeps the bytes appended since `start` if they are whole, or else leaves the buffer as it was.
static status finish(buffer *out, size_t start, status s, error *err)
{
    if (s == STATUS_OK && out->starved) {
        s = error_set(err, STATUS_INTERNAL, "out of memory");
    } else if (s == STATUS_OK && out->overflow) {
        s = error_set(err, STATUS_LIMIT_EXCEEDED, "too large; the limit is %zu bytes",
                      out->size_max);
    }
    if (s != STATUS_OK) {
        buffer_truncate(out, start);
    }
    return s;
}

status json_text_to_msgpack(const char *text, size_t size, buffer *out, error *err)
{
    json_error_t fault;
    size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
    json_t *root = json_loadb(text, size, flags, &fault);
    if (root == NULL && json_error_code(&fault) == json_error_out_of_memory) {
        return error_set(err, STATUS_INTERNAL, "out of memory");
    }
    if (root == NULL) {
        bool huge = json_error_code(&fault) == json_error_numeric_overflow;
        return error_set(err, STATUS_INVALID_ARGUMENT, "line %d, column %d: %s%s", fault.line,
                         fault.column, fault.text,
                         huge ? "; integers above 2^63-1 are {\"$uint\": \"…\"}" : "");
    }
    size_t start = out->size;
    msgpack_packer packer = buffer_packer(out);
    status s = pack_value(&packer, root, 0, err);
    json_decref(root);
    return finish(out, start, s, err);
}

// ---- writing

typedef struct writer {
    buffer *out;
    json_style style;
    error *err;
} writer;

static status write_value(const writer *w, const msgpack_object *object, int depth);

static void put(const writer *w, const char *text)
{
    buffer_append(w->out, text, strlen(text));
}

static void put_line(const writer *w, int depth)
{
    if (w->style == JSON_STYLE_INDENTED) {
        put(w, "\n");
        for (int i = 0; i < depth; i++) {
            put(w, "  ");
        }
    }
}

static void put_escaped(const writer *w, unsigned char c)
{
    static const char SHORT[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    char text[8];
    for (const char *p = SHORT; *p != '\0'; p += 2) {
        if ((unsigned char)*p == c) {
            snprintf(text, sizeof text, "\\%c", p[1]);
            put(w, text);
            return;
        }
    }
    snprintf(text, sizeof text, "\\u%04x", (unsigned)c);
    put(w, text);
}

static status write_string(const writer *w, const char *bytes, size_t size)
{
    if (!utf8_valid(bytes, size)) {
        return error_set(w->err, STATUS_INVALID_ARGUMENT, "a string is not UTF-8");
    }
    put(w, "\"");
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c < 0x20 || c == '"' || c == '\\') {
            buffer_append(w->out, bytes + begin, i - begin);
            put_escaped(w, c);
            begin = i + 1;
        }
    }
    if (begin < size) { // msgpack-c has NULL for the empty string, which must not be moved
        buffer_append(w->out, bytes + begin, size - begin);
    }
    put(w, "\"");
    return STATUS_OK;
}

static void write_hex(const writer *w, const char *bytes, size_t size)
{
    put(w, "\"");
    for (size_t i = 0; i < size && !w->out->overflow; i++) {
        char text[4];
        snprintf(text, sizeof text, "%02x", (unsigned)(unsigned char)bytes[i]);
        put(w, text);
    }
    put(w, "\"");
}

static void write_float(const writer *w, double value)
{
    if (!isfinite(value)) {
        put(w, isnan(value)  ? "{\"$float\":\"nan\"}"
               : value > 0.0 ? "{\"$float\":\"inf\"}"
                             : "{\"$float\":\"-inf\"}");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    bool whole = true;
    for (char *p = text; *p != '\0'; p++) {
        bool digit = (*p >= '0' && *p <= '9') || *p == '-' || *p == '+';
        whole = whole && digit;
        if (!digit && *p != 'e') {
            *p = '.'; // the locale may have another decimal point
        }
    }
    put(w, text);
    if (whole) {
        put(w, ".0");
    }
}

static void write_integer(const writer *w, const msgpack_object *object)
{
    char text[40];
    if (object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER) {
        snprintf(text, sizeof text, "%" PRId64, object->via.i64);
    } else if (object->via.u64 <= INT64_MAX) {
        snprintf(text, sizeof text, "%" PRIu64, object->via.u64);
    } else {
        snprintf(text, sizeof text, "{\"$uint\":\"%" PRIu64 "\"}", object->via.u64);
    }
    put(w, text);
}

static bool is_number(const msgpack_object *object)
{
    return object->type == MSGPACK_OBJECT_POSITIVE_INTEGER ||
           object->type == MSGPACK_OBJECT_NEGATIVE_INTEGER ||
           object->type == MSGPACK_OBJECT_FLOAT32 || object->type == MSGPACK_OBJECT_FLOAT64;
}

static status write_array(const writer *w, const msgpack_object_array *array, int depth)
{
    bool numbers = true;
    for (uint32_t i = 0; i < array->size; i++) {
        numbers = numbers && is_number(&array->ptr[i]);
    }
    put(w, "[");
    for (uint32_t i = 0; i < array->size && !w->out->overflow; i++) {
        if (i > 0) {
            put(w, w->style == JSON_STYLE_INDENTED && numbers ? ", " : ",");
        }
        if (!numbers) {
            put_line(w, depth + 1);
        }
        status s = write_value(w, &array->ptr[i], depth + 1);
        if (s != STATUS_OK) {
            return s;
        }
    }
    if (!numbers) {
        put_line(w, depth);
    }
    put(w, "]");
    return STATUS_OK;
}

static int compare_keys(const void *left, const void *right)
{
    const msgpack_object_str *a = left;
    const msgpack_object_str *b = right;
    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    return a->size == 0 ? 0 : memcmp(a->ptr, b->ptr, a->size);
}

static bool has_doubled_key(const msgpack_object_map *map)
{
    enum { FEW = 32 };
    msgpack_object_str few[FEW];
    msgpack_object_str *keys = map->size <= FEW ? few : malloc(map->size * sizeof *keys);
    if (keys == NULL) {
        return true; // memory has run out: use the form that fits every map
    }
    for (uint32_t i = 0; i < map->size; i++) {
        keys[i] = map->ptr[i].key.via.str;
    }
    qsort(keys, map->size, sizeof *keys, compare_keys);
    bool doubled = false;
    for (uint32_t i = 1; i < map->size; i++) {
        doubled = doubled || compare_keys(&keys[i - 1], &keys[i]) == 0;
    }
    if (keys != few) {
        free(keys);
    }
    return doubled;
}

// Whether the map can be an object that reads back as the same map.
static bool is_object(const msgpack_object_map *map)
{
    for (uint32_t i = 0; i < map->size; i++) {
        const msgpack_object *key = &map->ptr[i].key;
        if (key->type != MSGPACK_OBJECT_STR ||
            (key->via.str.size > 0 && memchr(key->via.str.ptr, '\0', key->via.str.size) != NULL)) {
            return false;
        }
    }
    if (map->size == 1) {
        return form_of(map->ptr[0].key.via.str.ptr, map->ptr[0].key.via.str.size) == FORM_NONE;
    }
    return !has_doubled_key(map);
}

static status write_map(const writer *w, const msgpack_object_map *map, int depth)
{
    bool object = is_object(map);
    const char *separator = w->style == JSON_STYLE_INDENTED && object ? ": " : object ? ":" : ",";
    put(w, object ? "{" : "{\"$map\":[");
    for (uint32_t i = 0; i < map->size && !w->out->overflow; i++) {
        put(w, i > 0 ? "," : "");
        put_line(w, depth + 1);
        put(w, object ? "" : "[");
        status s = write_value(w, &map->ptr[i].key, depth + 1);
        put(w, separator);
        if (s == STATUS_OK) {
            s = write_value(w, &map->ptr[i].val, depth + 1);
        }
        if (s != STATUS_OK) {
            return s;
        }
        put(w, object ? "" : "]");
    }
    if (map->size > 0) {
        put_line(w, depth);
    }
    put(w, object ? "}" : "]}");
    return STATUS_OK;
}

static void write_ext(const writer *w, const msgpack_object_ext *ext)
{
    char text[24];
    snprintf(text, sizeof text, "{\"$ext\":[%d,", ext->type);
    put(w, text);
    write_hex(w, ext->ptr, ext->size);
    put(w, "]}");
}

static status write_value(const writer *w, const msgpack_object *object, int depth)
{
    bool container = object->type == MSGPACK_OBJECT_MAP || object->type == MSGPACK_OBJECT_ARRAY;
    if (container && depth == WIRE_DEPTH_MAX) {
        return too_deep(w->err);
    }
    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        put(w, "null");
        break;
    case MSGPACK_OBJECT_BOOLEAN:
        put(w, object->via.boolean ? "true" : "false");
        break;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        write_integer(w, object);
        break;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        write_float(w, object->via.f64);
        break;
    case MSGPACK_OBJECT_STR:
        return write_string(w, object->via.str.ptr, object->via.str.size);
    case MSGPACK_OBJECT_BIN:
        put(w, "{\"$bin\":");
        write_hex(w, object->via.bin.ptr, object->via.bin.size);
        put(w, "}");
        break;
    case MSGPACK_OBJECT_EXT:
        write_ext(w, &object->via.ext);
        break;
    case MSGPACK_OBJECT_ARRAY:
        return write_array(w, &object->via.array, depth);
    case MSGPACK_OBJECT_MAP:
        return write_map(w, &object->via.map, depth);
    }
    return STATUS_OK;
}

status json_text_from_msgpack(const msgpack_object *object, json_style style, buffer *out,
                              error *err)
{
    size_t start = out->size;
    writer w = {out, style, err};
    return finish(out, start, write_value(&w, object, 0), err);
}
