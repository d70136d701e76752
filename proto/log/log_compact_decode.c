// Decodes the compact form into records; see log_compact.h. A row becomes the canonical MessagePack
// that it was made from. Bytes are not trusted: each is read once, in order, and no memory is
// allocated on the word of a count. Any thread.
#include <math.h>
#include <msgpack.h>
#include <string.h>

#include "common/base/packed_value.h"
#include "proto/limits.h"
#include "proto/log/log_compact_row.h"

typedef struct reader {
    const uint8_t *bytes;
    size_t at, size;
    const char *world;
    buffer *arguments; // arguments of the row being read
    msgpack_packer packer;
    compact_row row;
    compact_window window;
    error *err;
} reader;

static bool refuse(reader *r, const char *expected)
{
    error_set(r->err, STATUS_INVALID_ARGUMENT, "byte %zu of the compact record: expected %s", r->at,
              expected);
    return false;
}

static bool read_varint(reader *r, uint64_t *out, uint64_t most, const char *what)
{
    const size_t start = r->at;
    if (log_varint_read(r->bytes, r->size, &r->at, out) && *out <= most) {
        return true;
    }
    r->at = start;
    return refuse(r, what);
}

static bool read_byte(reader *r, uint8_t *out, unsigned most, const char *what)
{
    if (r->at == r->size || r->bytes[r->at] > most) {
        return refuse(r, what);
    }
    *out = r->bytes[r->at++];
    return true;
}

// ---- MessagePack. Functions of their own: expanded in each place, they would be most of a page's
// engine.

static void put_array(reader *r, size_t count)
{
    msgpack_pack_array(&r->packer, count);
}

static void put_map(reader *r, size_t pairs)
{
    msgpack_pack_map(&r->packer, pairs);
}

static void put_uint(reader *r, uint64_t value)
{
    msgpack_pack_uint64(&r->packer, value);
}

static void put_int(reader *r, int64_t value)
{
    msgpack_pack_int64(&r->packer, value);
}

static void put_double(reader *r, double value)
{
    msgpack_pack_double(&r->packer, value);
}

static void put_string(reader *r, const void *text, size_t size)
{
    msgpack_pack_str(&r->packer, size);
    msgpack_pack_str_body(&r->packer, text, size);
}

static void put_text(reader *r, const char *text)
{
    put_string(r, text, strlen(text));
}

// ---- numbers

static bool read_bits(reader *r, unsigned count, uint64_t *out)
{
    if (r->size - r->at < count) {
        return refuse(r, "a number that ends within the record");
    }
    *out = 0;
    for (unsigned i = 0; i < count; i++) {
        *out |= (uint64_t)r->bytes[r->at + i] << 8 * i;
    }
    r->at += count;
    return true;
}

static bool read_float(reader *r, double *out)
{
    uint64_t bits = 0;
    float single;
    if (!read_bits(r, 4, &bits)) {
        return false;
    }
    const uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    *out = (double)single;
    return isfinite(*out) ? true : refuse(r, "a finite number before this");
}

static bool read_double(reader *r, double *out)
{
    uint64_t bits = 0;
    if (!read_bits(r, 8, &bits)) {
        return false;
    }
    memcpy(out, &bits, sizeof *out);
    return isfinite(*out) ? true : refuse(r, "a finite number before this");
}

static bool read_number(reader *r, compact_number form, const double *like, double *out)
{
    uint64_t value = 0;
    switch (form) {
    case COMPACT_INTEGER:
        if (!read_varint(r, &value, 2 * (uint64_t)COMPACT_INTEGER_MOST, "a whole number")) {
            return false;
        }
        *out = (double)compact_unzigzag(value);
        return true;
    case COMPACT_FLOAT:
        return read_float(r, out);
    case COMPACT_DOUBLE:
        return read_double(r, out);
    default:
        if (like == NULL) {
            return refuse(r, "a number before this that stands for itself");
        }
        *out = *like;
        return true;
    }
}

// Reads the `i`th number; its tag is in the tags at `tags`.
static bool read_tagged(reader *r, size_t tags, size_t i, const double *like, double *out)
{
    return read_number(r, (compact_number)(r->bytes[tags + i / 4] >> 2 * (i % 4) & 3), like, out);
}

// Moves past the tags of `count` numbers.
static bool read_tags(reader *r, uint64_t count, size_t *tags)
{
    *tags = r->at;
    const uint64_t bytes = (count + 3) / 4;
    if (bytes > r->size - r->at) {
        return refuse(r, "tags of numbers that end within the record");
    }
    if (count % 4 != 0 && r->bytes[r->at + bytes - 1] >> 2 * (count % 4) != 0) {
        return refuse(r, "no tags but those of the numbers");
    }
    r->at += (size_t)bytes;
    return true;
}

// Reads a number that the engine rounds: as a float, or as the number of float steps from the value
// of `like`.
static bool read_single(reader *r, const double *like, double *out)
{
    uint64_t step = 0;
    if (like == NULL) {
        return read_float(r, out);
    }
    if (!read_varint(r, &step, (UINT64_C(1) << 33) - 1, "a difference of floats")) {
        return false;
    }
    const int64_t place = compact_place_of(*like) + compact_unzigzag(step);
    if (place < INT32_MIN || place > INT32_MAX || !isfinite(compact_at_place((int32_t)place))) {
        return refuse(r, "a difference to a finite number before this");
    }
    *out = compact_at_place((int32_t)place);
    return true;
}

static bool read_fixed_numbers(reader *r, const method_arg *arg, const double *like)
{
    const uint32_t count = compact_number_count(arg);
    double numbers[4] = {0};
    size_t tags = 0;
    if (!arg->single && !read_tags(r, count, &tags)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *other = like != NULL ? like + i : NULL;
        if (arg->single ? !read_single(r, other, &numbers[i])
                        : !read_tagged(r, tags, i, other, &numbers[i])) {
            return false;
        }
    }
    if (arg->type != ARG_NUMBER) {
        put_array(r, count);
    }
    r->row.flat = r->row.flat && r->row.number_count + count <= LOG_COMPACT_NUMBERS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        put_double(r, numbers[i]);
        if (r->row.flat) {
            r->row.numbers[r->row.number_count++] = numbers[i];
        }
    }
    return true;
}

static bool read_vectors(reader *r)
{
    uint64_t count = 0;
    size_t tags = 0;
    if (!read_varint(r, &count, r->size, "a count of places") || !read_tags(r, 2 * count, &tags)) {
        return false;
    }
    put_array(r, (size_t)count);
    for (size_t i = 0; i < 2 * count; i++) {
        double number = 0.0;
        if (!read_tagged(r, tags, i, NULL, &number)) {
            return false;
        }
        if (i % 2 == 0) {
            put_array(r, 2);
        }
        put_double(r, number);
    }
    return true;
}

// ---- other values

static bool read_id(reader *r)
{
    uint64_t value = 0;
    if (!read_varint(r, &value, (UINT64_C(1) << 54) - 1, "an id")) {
        return false;
    }
    if ((value & 1) != 0) {
        put_map(r, 1);
        put_text(r, "$");
        r->row.flat = false;
    }
    put_uint(r, value >> 1);
    r->row.flat = r->row.flat && r->row.id_count < LOG_COMPACT_IDS_MAX;
    if (r->row.flat) {
        r->row.ids[r->row.id_count++] = value >> 1;
    }
    return true;
}

static bool read_text(reader *r, uint64_t most)
{
    uint64_t size = 0;
    if (!read_varint(r, &size, most, "the size of a text")) {
        return false;
    }
    if (size > r->size - r->at) {
        return refuse(r, "a text that ends within the record");
    }
    put_string(r, r->bytes + r->at, (size_t)size);
    r->at += (size_t)size;
    return true;
}

// MessagePack as it is: one whole value.
static bool read_any(reader *r)
{
    uint64_t size = 0;
    if (!read_varint(r, &size, WIRE_MESSAGE_BYTES_MAX, "the size of a value")) {
        return false;
    }
    if (size > r->size - r->at || packed_value_check(r->bytes + r->at, (size_t)size,
                                                     PACKED_VALUE_DEPTH_MAX, NULL) != STATUS_OK) {
        return refuse(r, "a MessagePack value");
    }
    buffer_append(r->arguments, r->bytes + r->at, (size_t)size);
    r->at += (size_t)size;
    return true;
}

static uint32_t count_words(const char *choices)
{
    uint32_t count = 1;
    for (const char *at = choices; (at = strchr(at, '|')) != NULL; at++) {
        count++;
    }
    return count;
}

static void pack_word(reader *r, const char *choices, uint32_t place)
{
    size_t size = 0;
    const char *word = choice_word(choices, place, &size);
    put_string(r, word, size);
}

static bool read_word(reader *r, const char *choices)
{
    uint64_t place = 0;
    if (!read_varint(r, &place, count_words(choices) - 1, "the place of a word")) {
        return false;
    }
    pack_word(r, choices, (uint32_t)place);
    return true;
}

static bool read_words(reader *r, const char *choices)
{
    uint64_t bits = 0;
    const uint32_t count = count_words(choices);
    if (!read_varint(r, &bits, (UINT64_C(1) << count) - 1, "bits of words")) {
        return false;
    }
    put_array(r, (size_t)__builtin_popcountll(bits));
    for (uint32_t i = 0; i < count; i++) {
        if ((bits >> i & 1) != 0) {
            pack_word(r, choices, i);
        }
    }
    return true;
}

static bool read_list(reader *r, const arg_list *list);

static bool read_shape(reader *r)
{
    uint8_t kind = 0;
    if (!read_byte(r, &kind, METHOD_SHAPE_COUNT - 1, "a kind of shape")) {
        return false;
    }
    if (r->at < r->size && (r->bytes[r->at] & 1) == 0) {
        return refuse(r, "a shape that names its kind");
    }
    return read_list(r, &METHOD_SHAPES[kind]);
}

static bool read_shapes(reader *r)
{
    uint64_t count = 0;
    bool good = read_varint(r, &count, r->size - r->at, "a count of shapes");
    put_array(r, (size_t)count);
    for (; count > 0 && good; count--) {
        good = read_shape(r);
    }
    return good;
}

static bool read_commands(reader *r)
{
    uint64_t count = 0;
    bool good = read_varint(r, &count, r->size - r->at, "a count of commands");
    put_array(r, (size_t)count);
    for (; count > 0 && good; count--) {
        uint8_t m = 0;
        good = read_byte(r, &m, METHOD_COUNT - 1, "a method");
        if (good && !METHODS[m].batch) {
            return refuse(r, "a method before this that a batch may have");
        }
        if (good) {
            put_array(r, 2);
            put_text(r, method_name((method)m));
            good = read_list(r, &METHODS[m].list);
        }
    }
    return good;
}

static bool read_integer(reader *r)
{
    uint64_t value = 0;
    if (!read_varint(r, &value, UINT64_MAX, "an integer")) {
        return false;
    }
    put_int(r, compact_unzigzag(value));
    return true;
}

static bool read_bool(reader *r)
{
    uint8_t value = 0;
    if (!read_byte(r, &value, 1, "0 or 1")) {
        return false;
    }
    if (value != 0) {
        msgpack_pack_true(&r->packer);
    } else {
        msgpack_pack_false(&r->packer);
    }
    return true;
}

// Reads an argument that is neither an id nor numbers.
static bool read_other(reader *r, const method_arg *arg)
{
    r->row.flat = false;
    switch (arg->type) {
    case ARG_BOOL:
        return read_bool(r);
    case ARG_VECTORS:
        return read_vectors(r);
    case ARG_INTEGER:
    case ARG_MASK:
        return read_integer(r);
    case ARG_STRING:
    case ARG_NAME:
        return read_text(r, WIRE_MESSAGE_BYTES_MAX);
    case ARG_CHOICE:
        return read_word(r, arg->choices);
    case ARG_CHOICES:
        return read_words(r, arg->choices);
    case ARG_FILTER:
        return read_list(r, &METHOD_FILTER);
    case ARG_PLAYERS:
        return read_list(r, &METHOD_PLAYERS);
    case ARG_SHAPE:
    case ARG_FORM:
        return read_shape(r);
    case ARG_SHAPES:
        return read_shapes(r);
    case ARG_COMMANDS:
        return read_commands(r);
    case ARG_ANY:
        return read_any(r);
    default:
        return refuse(r, "arguments that a command has");
    }
}

static bool read_value(reader *r, const method_arg *arg)
{
    if (arg->type == ARG_ID) {
        return read_id(r);
    }
    return compact_number_count(arg) > 0 ? read_fixed_numbers(r, arg, NULL) : read_other(r, arg);
}

static bool read_mask(reader *r, const arg_list *list, uint32_t *mask)
{
    uint64_t bits = 0;
    if (!read_varint(r, &bits, (UINT64_C(1) << list->count) - 1, "bits of arguments")) {
        return false;
    }
    *mask = (uint32_t)bits;
    return true;
}

static bool read_arguments(reader *r, const arg_list *list, uint32_t mask)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if ((mask >> i & 1) != 0) {
            put_text(r, list->args[i].name);
            if (!read_value(r, &list->args[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool read_list(reader *r, const arg_list *list)
{
    uint32_t mask = 0;
    if (!read_mask(r, list, &mask)) {
        return false;
    }
    put_map(r, (size_t)__builtin_popcount(mask));
    return read_arguments(r, list, mask);
}

// ---- rows

static bool takes_world(const arg_list *list)
{
    return list->count > 0 && strcmp(list->args[0].name, "world") == 0;
}

// The map's head, and the world's name where the row has one. `name` is that of another world,
// which the caller has read.
static void pack_world(reader *r, bool other, uint32_t mask)
{
    put_map(r, (size_t)__builtin_popcount(mask) + (r->row.world != COMPACT_WORLD_NONE));
    if (r->row.world != COMPACT_WORLD_NONE) {
        put_text(r, "world");
    }
    if (!other && r->row.world == COMPACT_WORLD_OWN) {
        put_text(r, r->world);
    }
}

static bool read_difference(reader *r, uint32_t distance)
{
    if (distance > r->window.count || !compact_window_at(&r->window, distance)->flat) {
        return refuse(r, "a row before this to which others can refer");
    }
    const compact_row like = *compact_window_at(&r->window, distance);
    const arg_list *list = &METHODS[like.method].list;
    uint32_t ids = 0;
    uint32_t numbers = 0;
    r->row = (compact_row){.session = like.session,
                           .method = like.method,
                           .world = like.world,
                           .mask = like.mask,
                           .flat = true};
    pack_world(r, false, like.mask);
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        if ((like.mask >> i & 1) == 0) {
            continue;
        }
        put_text(r, arg->name);
        if (arg->type == ARG_ID) {
            put_uint(r, like.ids[ids]);
            r->row.ids[r->row.id_count++] = like.ids[ids++];
        } else if (!read_fixed_numbers(r, arg, &like.numbers[numbers])) {
            return false;
        }
        numbers += compact_number_count(arg);
    }
    return true;
}

static bool read_whole(reader *r, unsigned world)
{
    uint8_t m = 0;
    r->row = (compact_row){.world = (compact_world)world};
    if (world > COMPACT_WORLD_OTHER) {
        return refuse(r, "the head of a row before this");
    }
    if (!read_varint(r, &r->row.session, UINT64_MAX, "a session's number") ||
        !read_byte(r, &m, METHOD_COUNT - 1, "a method")) {
        return false;
    }
    if (!log_compact_has((method)m)) {
        return refuse(r, "a method before this that a log may have");
    }
    const arg_list *list = &METHODS[m].list;
    r->row.method = (method)m;
    if (world != COMPACT_WORLD_NONE && !takes_world(list)) {
        return refuse(r, "a method before this that takes a world's name");
    }
    const bool other = world == COMPACT_WORLD_OTHER;
    const size_t name = r->at;
    if (other) { // passed over first: the map's head comes before it
        uint64_t size = 0;
        if (!read_varint(r, &size, WIRE_WORLD_NAME_MAX, "the size of a name") ||
            size > r->size - r->at) {
            return refuse(r, "a name that ends within the record");
        }
        r->at += (size_t)size;
    }
    if (!read_mask(r, list, &r->row.mask)) {
        return false;
    }
    if (takes_world(list) && (r->row.mask & 1) != 0) {
        return refuse(r, "arguments before this without the world");
    }
    pack_world(r, other, r->row.mask);
    if (other) {
        const size_t behind = r->at;
        r->at = name;
        (void)read_text(r, WIRE_WORLD_NAME_MAX);
        r->at = behind;
    }
    r->row.flat = !other;
    return read_arguments(r, list, r->row.mask);
}

static bool read_row(reader *r, buffer *rows, uint64_t *tick, uint64_t last)
{
    const uint8_t head = r->bytes[r->at++];
    uint64_t ticks = head & COMPACT_TICKS_MOST;
    uint64_t more = 0;
    if (ticks == COMPACT_TICKS_MOST && !read_varint(r, &more, UINT64_MAX - ticks, "ticks")) {
        return false;
    }
    ticks += more;
    if (ticks > last - *tick) {
        return refuse(r, "a row before this of one of the record's ticks");
    }
    *tick += ticks;
    buffer_clear(r->arguments);
    const bool good = (head & COMPACT_LIKE) != 0 ? read_difference(r, (head >> COMPACT_SHIFT) + 1u)
                                                 : read_whole(r, head >> COMPACT_SHIFT);
    if (!good) {
        return false;
    }
    compact_window_push(&r->window, &r->row);
    if (r->arguments->overflow) {
        error_set(r->err, STATUS_LIMIT_EXCEEDED, "a command's arguments have over %d bytes",
                  LOG_ARGUMENTS_BYTES_MAX);
        return false;
    }
    const char *name = method_name(r->row.method);
    const log_command command = {.tick = *tick,
                                 .session = r->row.session,
                                 .method = name,
                                 .method_size = (uint32_t)strlen(name),
                                 .arguments = r->arguments->data,
                                 .arguments_size = (uint32_t)r->arguments->size};
    log_command_encode(rows, &command);
    return true;
}

static bool read_begin(reader *r, uint64_t from, log_record *out)
{
    uint64_t head = 0;
    if (!read_varint(r, &head, UINT64_MAX, "a count of ticks")) {
        return false;
    }
    *out = (log_record){.from = from, .tick = from + (head >> 1), .has_hash = (head & 1) != 0};
    if (head >> 1 > LOG_TICKS_MAX || out->tick < from) {
        error_set(r->err, STATUS_LIMIT_EXCEEDED,
                  "a compact record of %llu ticks, at most %d are allowed",
                  (unsigned long long)(head >> 1), LOG_TICKS_MAX);
        return false;
    }
    if (out->has_hash && r->size - r->at < 8) {
        return refuse(r, "8 bytes of hash");
    }
    for (int i = 0; i < 8 && out->has_hash; i++) {
        out->hash = out->hash << 8 | r->bytes[r->at++];
    }
    return true;
}

static status read_rows(reader *r, buffer *rows, log_record *out)
{
    uint64_t tick = out->from;
    while (r->at < r->size) {
        if (!read_row(r, rows, &tick, out->tick)) {
            return r->err->status;
        }
        out->command_count++;
        if (out->command_count > LOG_COMMANDS_MAX || rows->overflow) {
            return error_set(r->err, STATUS_LIMIT_EXCEEDED,
                             "the compact record has more than %d commands, or %d bytes of them",
                             LOG_COMMANDS_MAX, LOG_RECORD_BYTES_MAX);
        }
    }
    return STATUS_OK;
}

status log_compact_decode(const uint8_t *bytes, size_t size, uint64_t from, const char *world,
                          buffer *rows, log_record *out, error *err)
{
    error unused;
    buffer arguments;
    buffer_init(&arguments, LOG_ARGUMENTS_BYTES_MAX);
    buffer_clear(rows);
    reader r = {.bytes = bytes,
                .size = size,
                .world = world,
                .arguments = &arguments,
                .packer = buffer_packer(&arguments),
                .err = err != NULL ? err : &unused};
    log_record record = {0};
    status s = read_begin(&r, from, &record) ? read_rows(&r, rows, &record) : r.err->status;
    buffer_deinit(&arguments);
    if (s == STATUS_OK) {
        record.commands = rows->data;
        record.commands_size = rows->size;
        *out = record;
    }
    return s;
}
