// Encodes and decodes records of a log. The reader visits each byte once, in order, allocates no
// memory, and trusts no length before it has seen that many bytes.
#include "proto/log/log_record.h"

#include <msgpack.h>
#include <stdio.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/limits.h"
#include "proto/log/log_cursor.h"
#include "proto/wire/check.h"
#include "proto/wire/rpc.h"
#include "proto/wire/scanner.h"

enum { HASH_BYTES = 8, ROW_FIELDS = 4 };

_Static_assert((size_t)LOG_RECORD_BYTES_MAX > (size_t)LOG_ARGUMENTS_BYTES_MAX,
               "a record holds the largest command");
_Static_assert((size_t)LOG_ARGUMENTS_BYTES_MAX >= (size_t)WIRE_MESSAGE_BYTES_MAX,
               "whatever a client may send can be logged");

// ---- writing

void log_command_encode(buffer *out, const log_command *command)
{
    ASSERT(command->method_size >= 1 && command->method_size <= WIRE_METHOD_BYTES_MAX);
    ASSERT(command->arguments_size >= 1 && command->arguments_size <= LOG_ARGUMENTS_BYTES_MAX);
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_array(&packer, ROW_FIELDS);
    msgpack_pack_uint64(&packer, command->tick);
    msgpack_pack_uint64(&packer, command->session);
    msgpack_pack_str(&packer, command->method_size);
    msgpack_pack_str_body(&packer, command->method, command->method_size);
    buffer_append(out, command->arguments, command->arguments_size);
}

void log_removal_arguments(buffer *out, const char *world, uint64_t body)
{
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_map(&packer, 2);
    rpc_pack_text(&packer, "world");
    rpc_pack_text(&packer, world);
    rpc_pack_text(&packer, "body");
    msgpack_pack_uint64(&packer, body);
}

static void pack_bytes(msgpack_packer *packer, const char *key, const uint8_t *bytes, size_t size)
{
    rpc_pack_text(packer, key);
    msgpack_pack_bin(packer, size);
    msgpack_pack_bin_body(packer, bytes, size);
}

static void pack_hash_bytes(msgpack_packer *packer, uint64_t hash)
{
    uint8_t bytes[HASH_BYTES];
    for (int i = 0; i < HASH_BYTES; i++) {
        bytes[i] = (uint8_t)(hash >> (56 - 8 * i));
    }
    pack_bytes(packer, "hash", bytes, sizeof bytes);
}

static uint32_t count_pairs(const log_record *record)
{
    return 3 + (record->has_hash ? 1u : 0u) + (record->image != NULL ? 1u : 0u);
}

uint32_t log_record_encode_pairs(buffer *out, const log_record *record)
{
    ASSERT(record->from <= record->tick && record->command_count <= LOG_COMMANDS_MAX);
    msgpack_packer packer = buffer_packer(out);
    rpc_pack_text(&packer, "from");
    msgpack_pack_uint64(&packer, record->from);
    rpc_pack_text(&packer, "tick");
    msgpack_pack_uint64(&packer, record->tick);
    rpc_pack_text(&packer, "commands");
    msgpack_pack_array(&packer, record->command_count);
    buffer_append(out, record->commands, record->commands_size);
    if (record->has_hash) {
        pack_hash_bytes(&packer, record->hash);
    }
    if (record->image != NULL) {
        pack_bytes(&packer, "image", record->image, record->image_size);
    }
    return count_pairs(record);
}

void log_record_encode(buffer *out, const log_record *record)
{
    msgpack_packer packer = buffer_packer(out);
    msgpack_pack_map(&packer, count_pairs(record));
    log_record_encode_pairs(out, record);
}

// ---- reading

static status expect_key(log_cursor *c, const char *key)
{
    if (log_take_key(c, key)) {
        return STATUS_OK;
    }
    char text[64];
    snprintf(text, sizeof text, "the key '%s'", key);
    return log_refuse(c, text);
}

static status take_count(log_cursor *c, const char *key, uint64_t *out)
{
    status s = expect_key(c, key);
    if (s == STATUS_OK && !log_take_uint(c, out)) {
        s = log_refuse(c, "an unsigned integer in its shortest form");
    }
    return s;
}

// Reads one MessagePack map, within the wire's limit of depth and LOG_ARGUMENTS_VALUES_MAX.
static status take_arguments(log_cursor *c, log_command *out)
{
    value_head head;
    if (!value_head_read(c->bytes + c->at, c->size - c->at, &head) || head.kind != TAG_MAP) {
        return log_refuse(c, "a map of arguments");
    }
    scanner_limits limits = {.bytes_max = LOG_ARGUMENTS_BYTES_MAX,
                             .depth_max = WIRE_DEPTH_MAX,
                             .values_max = LOG_ARGUMENTS_VALUES_MAX};
    scanner s;
    scanner_init(&s, &limits);
    size_t used = 0;
    error why;
    switch (scanner_feed(&s, c->bytes + c->at, c->size - c->at, &used, &why)) {
    case SCAN_MESSAGE:
        break;
    case SCAN_MORE:
        return log_refuse(c, "arguments that end within the record");
    case SCAN_REFUSED:
        return error_set(c->err, why.status, "byte %zu of the record: %s", c->at, why.text);
    }
    if (message_check(c->bytes + c->at, used, &why) != STATUS_OK) {
        return error_set(c->err, why.status, "byte %zu of the record: %s", c->at, why.text);
    }
    out->arguments = c->bytes + c->at;
    out->arguments_size = (uint32_t)used;
    c->at += used;
    return STATUS_OK;
}

static status take_command(log_cursor *c, log_command *out)
{
    value_head head;
    if (!log_take_head(c, TAG_ARRAY, &head) || head.length != ROW_FIELDS) {
        return log_refuse(c, "[tick, session, method, arguments]");
    }
    if (!log_take_uint(c, &out->tick) || !log_take_uint(c, &out->session)) {
        return log_refuse(c, "an unsigned integer in its shortest form");
    }
    const uint8_t *method;
    size_t size;
    if (!log_take_bytes(c, TAG_STR, WIRE_METHOD_BYTES_MAX, &method, &size) || size == 0) {
        return log_refuse(c, "a method's name");
    }
    out->method = (const char *)method;
    out->method_size = (uint32_t)size;
    return take_arguments(c, out);
}

static status take_commands(log_cursor *c, log_record *out)
{
    status s = expect_key(c, "commands");
    if (s != STATUS_OK) {
        return s;
    }
    value_head head;
    if (!log_take_head(c, TAG_ARRAY, &head)) {
        return log_refuse(c, "an array of commands");
    }
    if (head.length > LOG_COMMANDS_MAX) {
        return error_set(c->err, STATUS_LIMIT_EXCEEDED,
                         "byte %zu of the record: %llu commands, at most %d are allowed", c->at,
                         (unsigned long long)head.length, LOG_COMMANDS_MAX);
    }
    out->command_count = (uint32_t)head.length;
    out->commands = c->bytes + c->at;
    const size_t start = c->at;
    uint64_t last = out->from;
    for (uint32_t i = 0; i < out->command_count; i++) {
        log_command command;
        s = take_command(c, &command);
        if (s != STATUS_OK) {
            error_prefix(c->err, "commands[%u]", i);
            return s;
        }
        if (command.tick < last || command.tick > out->tick) {
            return error_set(c->err, STATUS_INVALID_ARGUMENT,
                             "commands[%u]: tick %llu, expected %llu to %llu", i,
                             (unsigned long long)command.tick, (unsigned long long)last,
                             (unsigned long long)out->tick);
        }
        last = command.tick;
    }
    out->commands_size = c->at - start;
    return STATUS_OK;
}

static status take_hash(log_cursor *c, log_record *out)
{
    const uint8_t *bytes;
    size_t size;
    if (!log_take_bytes(c, TAG_BIN, HASH_BYTES, &bytes, &size) || size != HASH_BYTES) {
        return log_refuse(c, "8 bytes of hash");
    }
    out->has_hash = true;
    for (int i = 0; i < HASH_BYTES; i++) {
        out->hash = out->hash << 8 | bytes[i];
    }
    return STATUS_OK;
}

static status take_image(log_cursor *c, log_record *out)
{
    if (!log_take_bytes(c, TAG_BIN, LOG_RECORD_BYTES_MAX, &out->image, &out->image_size) ||
        out->image_size == 0) {
        out->image = NULL;
        return log_refuse(c, "an image that ends within the record");
    }
    return STATUS_OK;
}

static status take_pairs(log_cursor *c, uint64_t pairs, log_record *out)
{
    status s = take_count(c, "from", &out->from);
    if (s == STATUS_OK) {
        s = take_count(c, "tick", &out->tick);
    }
    if (s == STATUS_OK && out->tick < out->from) {
        s = error_set(c->err, STATUS_INVALID_ARGUMENT, "tick %llu lies before from %llu",
                      (unsigned long long)out->tick, (unsigned long long)out->from);
    } else if (s == STATUS_OK && out->tick - out->from > LOG_TICKS_MAX) {
        s = error_set(c->err, STATUS_LIMIT_EXCEEDED,
                      "a record of %llu ticks, at most %d are allowed",
                      (unsigned long long)(out->tick - out->from), LOG_TICKS_MAX);
    }
    if (s == STATUS_OK) {
        s = take_commands(c, out);
    }
    if (s == STATUS_OK && log_take_key(c, "hash")) {
        s = take_hash(c, out);
    }
    if (s == STATUS_OK && log_take_key(c, "image")) {
        s = take_image(c, out);
    }
    if (s == STATUS_OK && (c->at != c->size || pairs != count_pairs(out))) {
        s = log_refuse(c, "the record's end");
    }
    return s;
}

status log_record_decode(const uint8_t *bytes, size_t size, log_record *out, error *err)
{
    if (size > LOG_RECORD_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "a record of %zu bytes, at most %d are allowed", size,
                         LOG_RECORD_BYTES_MAX);
    }
    log_cursor c = {.bytes = bytes, .size = size, .err = err};
    log_record record = {0};
    value_head head;
    if (!log_take_head(&c, TAG_MAP, &head)) {
        return log_refuse(&c, "a map");
    }
    status s = take_pairs(&c, head.length, &record);
    if (s == STATUS_OK) {
        *out = record;
    }
    return s;
}

// Passes over one value, within the wire's bounds.
static status skip_value(log_cursor *c)
{
    scanner_limits limits = scanner_limits_reply();
    scanner s;
    scanner_init(&s, &limits);
    size_t used = 0;
    if (scanner_feed(&s, c->bytes + c->at, c->size - c->at, &used, NULL) != SCAN_MESSAGE) {
        return log_refuse(c, "a value");
    }
    c->at += used;
    return STATUS_OK;
}

static status take_head_pair(log_cursor *c, log_notification *out)
{
    const uint8_t *text;
    size_t size;
    if (log_take_key(c, "world")) {
        if (!log_take_bytes(c, TAG_STR, WIRE_WORLD_NAME_MAX, &text, &size)) {
            return log_refuse(c, "a world's name");
        }
        out->world = (const char *)text;
        out->world_size = size;
        return STATUS_OK;
    }
    if (log_take_key(c, "epoch")) {
        out->has_epoch = log_take_uint(c, &out->epoch);
        return out->has_epoch ? STATUS_OK : log_refuse(c, "an epoch");
    }
    if (!log_take_bytes(c, TAG_STR, WIRE_METHOD_BYTES_MAX, &text, &size)) {
        return log_refuse(c, "a key");
    }
    return skip_value(c);
}

status log_notification_decode(const uint8_t *bytes, size_t size, log_notification *out, error *err)
{
    enum { FROM_KEY_BYTES = 5 };
    static const uint8_t FROM[FROM_KEY_BYTES] = {0xa4, 'f', 'r', 'o', 'm'};
    if (size > LOG_RECORD_BYTES_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "a record of %zu bytes, at most %d are allowed", size,
                         LOG_RECORD_BYTES_MAX);
    }
    log_cursor c = {.bytes = bytes, .size = size, .err = err};
    log_notification made = {0};
    uint64_t pairs = 0;
    if (!log_take_map(&c, &pairs)) {
        return log_refuse(&c, "a map");
    }
    status s = STATUS_OK;
    while (s == STATUS_OK && pairs > 0 &&
           !(c.size - c.at >= sizeof FROM && memcmp(bytes + c.at, FROM, sizeof FROM) == 0)) {
        s = take_head_pair(&c, &made);
        pairs--;
    }
    if (s == STATUS_OK) {
        s = take_pairs(&c, pairs, &made.record);
    }
    if (s == STATUS_OK) {
        *out = made;
    }
    return s;
}

bool log_record_next(const log_record *record, size_t *offset, log_command *out)
{
    if (*offset >= record->commands_size) {
        return false;
    }
    error unused;
    log_cursor c = {record->commands, *offset, record->commands_size, &unused};
    status s = take_command(&c, out);
    ASSERT(s == STATUS_OK); // it was verified before
    *offset = c.at;
    return true;
}
