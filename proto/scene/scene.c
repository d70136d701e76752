// A scene file as a document, and the scene that comes of it: the settings here, the entries in
// scene_expand.c. Nothing here aborts when memory runs out: libcarom-scene runs in strangers'
// processes. Any thread.
#include "proto/scene/scene.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/suggest.h"
#include "common/base/utf8.h"
#include "proto/wire/json.h"
#include "proto/wire/rpc.h"
#include "proto/scene/scene_expand.h"
#include "common/base/tag.h"

// The parts of a scene file; NULL: left out.
typedef struct document {
    const msgpack_object *name, *description, *world, *view, *seed, *constants, *commands;
} document;

// ---- settings

// For a key that is unknown; one that is no text is like nothing.
static void begin_suggestion(suggestion *near, const msgpack_object *key)
{
    suggest_begin(near, scene_text(key), scene_is_string(key) ? key->via.str.size : 0);
}

static status read_document(const msgpack_object *root, document *out, error *err)
{
    if (root->type != MSGPACK_OBJECT_MAP) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "a scene is an object {\"commands\": …}");
    }
    const struct {
        const char *key;
        const msgpack_object **place;
    } PARTS[] = {
        {"name", &out->name},         {"description", &out->description},
        {"world", &out->world},       {"view", &out->view},
        {"seed", &out->seed},         {"constants", &out->constants},
        {"commands", &out->commands},
    };
    for (uint32_t i = 0; i < root->via.map.size; i++) {
        const msgpack_object_kv *pair = &root->via.map.ptr[i];
        size_t part = 0;
        while (part < sizeof PARTS / sizeof *PARTS &&
               !rpc_text_equals(&pair->key, PARTS[part].key)) {
            part++;
        }
        if (part == sizeof PARTS / sizeof *PARTS) {
            suggestion near;
            begin_suggestion(&near, &pair->key);
            for (part = 0; part < sizeof PARTS / sizeof *PARTS; part++) {
                suggest_offer(&near, PARTS[part].key, strlen(PARTS[part].key));
            }
            char quoted[UTF8_QUOTE_MAX], hint[SUGGEST_TEXT_MAX];
            suggest_text(&near, hint);
            return error_set(
                err, STATUS_INVALID_ARGUMENT,
                "a scene has no part '%s'%s%s name, description, world, view, seed, constants, "
                "commands",
                utf8_quote(quoted, near.given, near.given_size), hint,
                *hint != '\0' ? " it has" : "; it has");
        }
        *PARTS[part].place = &pair->val;
    }
    if (out->commands == NULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "a scene needs \"commands\"");
    }
    return STATUS_OK;
}

static status read_text(const msgpack_object *object, const char *what, char *out, size_t max,
                        error *err)
{
    if (object == NULL) {
        return STATUS_OK;
    }
    uint32_t size = scene_is_string(object) ? object->via.str.size : 0;
    bool text = scene_is_string(object) && size <= max;
    if (!text || memchr(scene_text(object), '\0', size) != NULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: expected a string of at most %zu bytes",
                         what, max);
    }
    memcpy(out, scene_text(object), size);
    out[size] = '\0';
    return STATUS_OK;
}

static status read_numbers(scene_expander *x, const msgpack_object *object, uint32_t count,
                           double *out)
{
    if (object->type != MSGPACK_OBJECT_ARRAY || object->via.array.size != count) {
        return error_set(x->err, STATUS_INVALID_ARGUMENT, "expected %u numbers", count);
    }
    status s = STATUS_OK;
    for (uint32_t i = 0; i < count && s == STATUS_OK; i++) {
        s = scene_scalar(x, &object->via.array.ptr[i], &out[i]);
    }
    return s;
}

static status read_count(scene_expander *x, const msgpack_object *object, uint32_t *out)
{
    double value;
    status s = scene_scalar(x, object, &value);
    if (s == STATUS_OK && !(value >= 0.0 && value <= UINT32_MAX && value == floor(value))) {
        s = scene_fail(x, "expected a whole number");
    }
    if (s == STATUS_OK) {
        *out = (uint32_t)value;
    }
    return s;
}

static status read_truth(scene_expander *x, const msgpack_object *object, bool *out)
{
    double value;
    status s = scene_scalar(x, object, &value);
    if (s == STATUS_OK) {
        *out = value != 0.0;
    }
    return s;
}

// A setting of the world: its name, and the place that it is read into, of which one is not NULL.
typedef struct setting {
    const char *key;
    double *numbers;
    uint32_t number_count;
    uint32_t *count;
    bool *truth;
} setting;

static status unknown_setting(scene_expander *x, const msgpack_object *key, const setting *known,
                              size_t count)
{
    suggestion near;
    char hint[SUGGEST_TEXT_MAX], text[SUGGEST_TEXT_MAX + 32];
    begin_suggestion(&near, key);
    for (size_t i = 0; i < count; i++) {
        suggest_offer(&near, known[i].key, strlen(known[i].key));
    }
    snprintf(text, sizeof text, "not a setting of a world%s", suggest_text(&near, hint));
    return scene_fail(x, text);
}

static status read_setting(scene_expander *x, const msgpack_object_kv *pair, scene_world *out)
{
    const setting SETTINGS[] = {
        {"gravity", .numbers = out->gravity, .number_count = 2},
        {"hz", .numbers = &out->hz, .number_count = 1},
        {"substeps", .count = &out->substeps},
        {"max_bodies", .count = &out->bodies_max},
        {"sleep", .truth = &out->sleep},
        {"continuous", .truth = &out->continuous},
        {"restitution_threshold", .numbers = &out->restitution_threshold, .number_count = 1},
        {"hit_threshold", .numbers = &out->hit_threshold, .number_count = 1},
        {"sleep_speed", .numbers = &out->sleep_speed, .number_count = 1},
    };
    const size_t count = sizeof SETTINGS / sizeof *SETTINGS;
    size_t i = 0;
    while (i < count && !rpc_text_equals(&pair->key, SETTINGS[i].key)) {
        i++;
    }
    if (i == count) {
        return unknown_setting(x, &pair->key, SETTINGS, count);
    }
    const setting *to = &SETTINGS[i];
    return to->count != NULL      ? read_count(x, &pair->val, to->count)
           : to->truth != NULL    ? read_truth(x, &pair->val, to->truth)
           : to->number_count > 1 ? read_numbers(x, &pair->val, to->number_count, to->numbers)
                                  : scene_scalar(x, &pair->val, to->numbers);
}

static status read_world(scene_expander *x, const msgpack_object *object, scene_world *out)
{
    *out = (scene_world){.gravity = {0.0, -9.81},
                         .hz = 60.0,
                         .substeps = 4,
                         .sleep = true,
                         .continuous = true,
                         .restitution_threshold = 0.5,
                         .hit_threshold = 1.0,
                         .sleep_speed = 0.05};
    if (object == NULL) {
        return STATUS_OK;
    }
    status s = object->type == MSGPACK_OBJECT_MAP ? STATUS_OK : scene_fail(x, "expected an object");
    for (uint32_t i = 0; s == STATUS_OK && i < object->via.map.size; i++) {
        const msgpack_object_kv *pair = &object->via.map.ptr[i];
        s = read_setting(x, pair, out);
        if (s != STATUS_OK) {
            char quoted[UTF8_QUOTE_MAX];
            bool text = scene_is_string(&pair->key);
            error_prefix(
                x->err, "%s",
                utf8_quote(quoted, scene_text(&pair->key), text ? pair->key.via.str.size : 0));
        }
    }
    if (s != STATUS_OK) {
        error_prefix(x->err, "world");
    }
    return s;
}

static status read_view(scene_expander *x, const msgpack_object *object, scene *out)
{
    if (object == NULL) {
        return STATUS_OK;
    }
    status s = read_numbers(x, object, 4, out->view);
    if (s == STATUS_OK && (out->view[0] >= out->view[2] || out->view[1] >= out->view[3])) {
        s = scene_fail(x, "expected [x0, y0, x1, y1] with x0 < x1 and y0 < y1");
    }
    if (s != STATUS_OK) {
        error_prefix(x->err, "view");
    }
    out->has_view = s == STATUS_OK;
    return s;
}

// ---- loading

static status read_constants(scene_expander *x, const document *d)
{
    uint32_t seed = 0;
    status s = d->seed != NULL ? read_count(x, d->seed, &seed) : STATUS_OK;
    if (s != STATUS_OK) {
        error_prefix(x->err, "seed");
        return s;
    }
    x->scope.random = seed;
    s = d->constants != NULL ? scene_define(x, d->constants) : STATUS_OK;
    if (s != STATUS_OK) {
        error_prefix(x->err, "constants");
    }
    return s;
}

static status load_document(scene_expander *x, const msgpack_object *root, scene *out)
{
    document d = {0};
    status s = read_document(root, &d, x->err);
    if (s == STATUS_OK) {
        s = read_text(d.name, "name", out->name, SCENE_NAME_MAX, x->err);
    }
    if (s == STATUS_OK) {
        s = read_text(d.description, "description", out->description, SCENE_DESCRIPTION_MAX,
                      x->err);
    }
    if (s == STATUS_OK) {
        s = read_constants(x, &d);
    }
    if (s == STATUS_OK) {
        s = read_world(x, d.world, &out->world);
    }
    if (s == STATUS_OK) {
        s = read_view(x, d.view, out);
    }
    return s == STATUS_OK ? scene_expand(x, d.commands) : s;
}

// The text as MessagePack objects; the caller destroys `unpacked` and frees the bytes.
static status parse(const char *text, size_t size, buffer *bytes, msgpack_unpacked *unpacked,
                    error *err)
{
    if (size > SCENE_FILE_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "a scene of %zu bytes; the limit is %d", size,
                         SCENE_FILE_BYTES_MAX);
    }
    status s = json_text_to_msgpack(text, size, bytes, err);
    size_t offset = 0;
    if (s == STATUS_OK && msgpack_unpack_next(unpacked, (const char *)bytes->data, bytes->size,
                                              &offset) != MSGPACK_UNPACK_SUCCESS) {
        s = error_set(err, STATUS_INTERNAL, "out of memory");
    }
    return s;
}

// Loads the scene, up to the command `stop_at`.
static status load(const char *text, size_t size, const char *where, uint32_t stop_at, scene *out,
                   error *err)
{
    buffer bytes;
    msgpack_unpacked unpacked;
    scene_expander x;
    scene loaded = {0};
    error local;
    err = err != NULL ? err : &local;
    buffer_init(&bytes, SCENE_BYTES_MAX);
    msgpack_unpacked_init(&unpacked);
    scene_expander_init(&x, err);
    x.stop_at = stop_at;
    status s = parse(text, size, &bytes, &unpacked, err);
    if (s == STATUS_OK) {
        s = load_document(&x, &unpacked.data, &loaded);
    }
    if (s == STATUS_OK) {
        loaded.commands = x.commands.data;
        loaded.command_count = x.commands.count;
        loaded.bytes = x.bytes;
        x.commands.data = NULL;
        buffer_init(&x.bytes, 0);
        *out = loaded;
    } else if (where != NULL) {
        error_prefix(err, "%s", where);
    }
    scene_expander_deinit(&x);
    msgpack_unpacked_destroy(&unpacked);
    buffer_deinit(&bytes);
    return s;
}

status scene_load_text(const char *text, size_t size, const char *where, scene *out, error *err)
{
    return load(text, size, where, UINT32_MAX, out, err);
}

bool scene_place(const char *text, size_t size, uint32_t index, char *out, size_t out_size)
{
    scene whole;
    error found;
    status s = load(text, size, NULL, index, &whole, &found);
    if (s == STATUS_OK) {
        scene_deinit(&whole); // it has no such command
    }
    if (s != STATUS_NOT_FOUND) {
        return false;
    }
    size_t length = strlen(found.text);
    while (length > 0 && (found.text[length - 1] == ' ' || found.text[length - 1] == ':')) {
        length--;
    }
    snprintf(out, out_size, "%.*s", (int)length, found.text);
    return true;
}

// The whole file, at most one byte more than a scene may have.
static status read_file(const char *path, buffer *out, error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        status why = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_INVALID_ARGUMENT;
        return error_set(err, why, "%s: %s", path, strerror(errno));
    }
    buffer_init(out, SCENE_FILE_BYTES_MAX + 1);
    if (!buffer_reserve(out, SCENE_FILE_BYTES_MAX + 1)) {
        fclose(file);
        return error_set(err, STATUS_INTERNAL, "out of memory");
    }
    out->size = fread(out->data, 1, SCENE_FILE_BYTES_MAX + 1, file);
    bool failed = ferror(file) != 0;
    int why = errno;
    fclose(file);
    if (failed) {
        buffer_deinit(out);
        return error_set(err, STATUS_INVALID_ARGUMENT, "%s: %s", path, strerror(why));
    }
    return STATUS_OK;
}

status scene_load_file(const char *path, scene *out, error *err)
{
    buffer text = {0};
    status s = read_file(path, &text, err);
    if (s == STATUS_OK) {
        s = scene_load_text((const char *)text.data, text.size, path, out, err);
        buffer_deinit(&text);
    }
    if (s == STATUS_OK) {
        out->file = strdup(path);
    }
    if (s == STATUS_OK && out->file == NULL) {
        scene_deinit(out);
        s = error_set(err, STATUS_INTERNAL, "out of memory");
    }
    return s;
}

void scene_blame(const scene *s, error *err)
{
    if (s->file != NULL) {
        error_prefix(err, "%s", s->file);
    } else if (s->name[0] != '\0') {
        error_prefix(err, "%s", s->name);
    }
}

void scene_deinit(scene *s)
{
    free(s->file);
    free(s->commands);
    buffer_deinit(&s->bytes);
    *s = (scene){0};
}

// ---- references

static void pack_made(msgpack_packer *packer, uint32_t command, const uint64_t *ids, uint32_t first)
{
    if (command < first) {
        msgpack_pack_uint64(packer, ids[command]);
    } else {
        msgpack_pack_map(packer, 1);
        rpc_pack_text(packer, "$");
        msgpack_pack_uint32(packer, command - first);
    }
}

void scene_resolve(const scene *s, uint32_t index, const uint64_t *ids, uint32_t first, buffer *out)
{
    ASSERT(index < s->command_count);
    const uint8_t *at = s->bytes.data + s->commands[index].offset;
    const uint8_t *end = at + s->commands[index].size;
    const uint8_t *copied = at;
    msgpack_packer packer = buffer_packer(out);
    while (at < end) {
        value_head head;
        bool whole = value_head_read(at, (size_t)(end - at), &head);
        ASSERT(whole);
        const uint8_t *body = at + head.size;
        bool nested = head.kind == TAG_ARRAY || head.kind == TAG_MAP;
        const uint8_t *next = nested ? body : body + head.length;
        if (head.kind == TAG_EXT) { // only references are packed so: type and index
            uint32_t command = (uint32_t)body[1] << 24 | (uint32_t)body[2] << 16 |
                               (uint32_t)body[3] << 8 | body[4];
            ASSERT(body[0] == SCENE_REFERENCE_TYPE && command < index);
            buffer_append(out, copied, (size_t)(at - copied));
            pack_made(&packer, command, ids, first);
            copied = next;
        }
        at = next;
    }
    buffer_append(out, copied, (size_t)(end - copied));
}

uint32_t scene_next_chunk(const scene *s, uint32_t first, const uint64_t *ids, size_t bytes_max,
                          buffer *out)
{
    uint32_t most = s->command_count - first;
    most = most < WIRE_APPLY_COMMANDS_MAX ? most : WIRE_APPLY_COMMANDS_MAX;
    buffer commands;
    buffer_init(&commands, SCENE_BYTES_MAX);
    uint32_t count = 0;
    while (count < most) {
        size_t before = commands.size;
        scene_resolve(s, first + count, ids, first, &commands);
        if (count > 0 && commands.size > bytes_max) {
            buffer_truncate(&commands, before);
            break;
        }
        count++;
    }
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_array(&packer, count);
    buffer_append(out, commands.data, commands.size);
    if (commands.overflow) {
        out->overflow = true;
        out->starved = out->starved || commands.starved;
    }
    buffer_deinit(&commands);
    return count;
}
