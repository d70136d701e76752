// Encodes records in the compact form; see log_compact.h. The rows' arguments are read as the
// canonical MessagePack of the log; others have no compact form. Any thread.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"
#include "proto/limits.h"
#include "proto/log/log_compact_row.h"
#include "proto/log/log_cursor.h"

typedef struct writer {
    buffer *out;
    log_cursor in; // a row's arguments
    const char *world;
    compact_window window;
} writer;

// ---- reading arguments

// Skips a value of any kind.
static bool skip(log_cursor *c)
{
    for (uint64_t left = 1; left > 0; left--) {
        value_head head;
        if (!value_head_read(c->bytes + c->at, c->size - c->at, &head)) {
            return false;
        }
        c->at += head.size;
        if (head.kind == TAG_ARRAY) {
            left += head.length;
        } else if (head.kind == TAG_MAP) {
            left += 2 * head.length;
        } else if (head.length <= c->size - c->at) {
            c->at += (size_t)head.length;
        } else {
            return false;
        }
    }
    return true;
}

static bool take_integer(log_cursor *c, int64_t *out)
{
    const size_t start = c->at;
    value_head head;
    if (!log_take_head(c, TAG_INTEGER, &head) || head.length > c->size - c->at) {
        return false;
    }
    bool negative = false;
    const uint64_t value = tag_integer(c->bytes[start], c->bytes + c->at, &negative);
    c->at += (size_t)head.length;
    *out = (int64_t)value;
    return negative || value <= INT64_MAX;
}

static bool take_bool(log_cursor *c, bool *out)
{
    const uint8_t tag = c->at < c->size ? c->bytes[c->at] : 0;
    c->at++;
    *out = tag == 0xc3;
    return tag == 0xc2 || tag == 0xc3;
}

static bool take_array(log_cursor *c, uint64_t *count)
{
    value_head head;
    *count = 0;
    if (!log_take_head(c, TAG_ARRAY, &head)) {
        return false;
    }
    *count = head.length;
    return true;
}

// The numbers of a NUMBER, VECTOR or AREA.
static bool take_numbers(log_cursor *c, const method_arg *arg, double *out, uint32_t *count)
{
    uint64_t elements = 1;
    *count = compact_number_count(arg);
    if (arg->type != ARG_NUMBER && (!take_array(c, &elements) || elements != *count)) {
        return false;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (!log_take_double(c, &out[i]) || (arg->single && fabs(out[i]) > (double)FLT_MAX)) {
            return false;
        }
    }
    return true;
}

// The arguments of a map, and the offsets of their values. Keys must come in the table's order.
typedef struct argument_map {
    uint32_t mask;
    size_t places[METHOD_ARGS_MAX];
} argument_map;

static bool take_map(log_cursor *c, const arg_list *list, argument_map *out)
{
    uint64_t pairs = 0;
    int last = -1;
    *out = (argument_map){0};
    if (!log_take_map(c, &pairs)) {
        return false;
    }
    for (; pairs > 0; pairs--) {
        const uint8_t *key = NULL;
        size_t size = 0;
        if (!log_take_bytes(c, TAG_STR, WIRE_METHOD_BYTES_MAX, &key, &size)) {
            return false;
        }
        const int at = arg_list_find(list, (const char *)key, size);
        if (at <= last) {
            return false;
        }
        last = at;
        out->mask |= UINT32_C(1) << at;
        out->places[at] = c->at;
        if (!skip(c)) {
            return false;
        }
    }
    return true;
}

// ---- values

static void write_float(buffer *out, double value)
{
    const float single = (float)value;
    uint32_t bits;
    uint8_t bytes[4];
    memcpy(&bits, &single, sizeof bits);
    put32(bytes, bits);
    buffer_append(out, bytes, sizeof bytes);
}

static void write_double(buffer *out, double value)
{
    uint64_t bits;
    uint8_t bytes[8];
    memcpy(&bits, &value, sizeof bits);
    put64(bytes, bits);
    buffer_append(out, bytes, sizeof bytes);
}

static compact_number form_of(double value)
{
    const bool whole = fabs(value) <= COMPACT_INTEGER_MOST && value == floor(value) &&
                       !(value == 0.0 && signbit(value));
    return whole ? COMPACT_INTEGER : (double)(float)value == value ? COMPACT_FLOAT : COMPACT_DOUBLE;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// Writes the tags of all numbers, four to a byte, then the bytes that each tag implies. `like` (may
// be NULL): the numbers of the row to which this one is a difference.
static void write_numbers(buffer *out, const double *numbers, const double *like, size_t count)
{
    for (size_t i = 0; i < count; i += 4) {
        uint8_t tags = 0;
        for (size_t k = i; k < count && k < i + 4; k++) {
            const bool same = like != NULL && same_bits(numbers[k], like[k]);
            tags |= (uint8_t)((same ? COMPACT_SAME : form_of(numbers[k])) << 2 * (k - i));
        }
        buffer_append(out, &tags, 1);
    }
    for (size_t i = 0; i < count; i++) {
        if (like != NULL && same_bits(numbers[i], like[i])) {
            continue;
        }
        switch (form_of(numbers[i])) {
        case COMPACT_INTEGER:
            log_varint_write(out, compact_zigzag((int64_t)numbers[i]));
            break;
        case COMPACT_FLOAT:
            write_float(out, numbers[i]);
            break;
        default:
            write_double(out, numbers[i]);
        }
    }
}

static bool write_fixed_numbers(writer *w, const method_arg *arg)
{
    double numbers[4];
    uint32_t count = 0;
    if (!take_numbers(&w->in, arg, numbers, &count)) {
        return false;
    }
    if (!arg->single) {
        write_numbers(w->out, numbers, NULL, count);
    }
    for (uint32_t i = 0; i < count && arg->single; i++) {
        write_float(w->out, numbers[i]);
    }
    return true;
}

static bool write_vectors(writer *w)
{
    uint64_t count = 0;
    if (!take_array(&w->in, &count) || count > w->in.size - w->in.at) {
        return false;
    }
    double *numbers = malloc((2 * (size_t)count + 1) * sizeof *numbers);
    ASSERT_MEMORY(numbers != NULL);
    bool good = true;
    for (size_t i = 0; i < 2 * count && good; i += 2) {
        uint64_t elements = 0;
        good = take_array(&w->in, &elements) && elements == 2 &&
               log_take_double(&w->in, &numbers[i]) && log_take_double(&w->in, &numbers[i + 1]);
    }
    if (good) {
        log_varint_write(w->out, count);
        write_numbers(w->out, numbers, NULL, 2 * (size_t)count);
    }
    free(numbers);
    return good;
}

// An id, or {"$": index}: its lowest bit says which.
static bool write_id(writer *w)
{
    uint64_t value = 0;
    if (log_take_uint(&w->in, &value)) {
        log_varint_write(w->out, value << 1);
        return value < UINT64_C(1) << 53;
    }
    uint64_t pairs = 0;
    if (!log_take_map(&w->in, &pairs) || pairs != 1 || !log_take_key(&w->in, "$") ||
        !log_take_uint(&w->in, &value) || value >= UINT64_C(1) << 53) {
        return false;
    }
    log_varint_write(w->out, value << 1 | 1);
    return true;
}

static bool write_text(writer *w)
{
    const uint8_t *text = NULL;
    size_t size = 0;
    if (!log_take_bytes(&w->in, TAG_STR, WIRE_MESSAGE_BYTES_MAX, &text, &size)) {
        return false;
    }
    log_varint_write(w->out, size);
    buffer_append(w->out, text, size);
    return true;
}

// MessagePack as it is.
static bool write_any(writer *w)
{
    const size_t start = w->in.at;
    if (!skip(&w->in)) {
        return false;
    }
    log_varint_write(w->out, w->in.at - start);
    buffer_append(w->out, w->in.bytes + start, w->in.at - start);
    return true;
}

static bool take_word(writer *w, const char *choices, int *place)
{
    const uint8_t *text = NULL;
    size_t size = 0;
    *place = log_take_bytes(&w->in, TAG_STR, WIRE_METHOD_BYTES_MAX, &text, &size)
                 ? choice_find(choices, (const char *)text, size)
                 : -1;
    return *place >= 0;
}

static bool write_words(writer *w, const char *choices)
{
    uint64_t count = 0;
    uint64_t bits = 0;
    if (!take_array(&w->in, &count)) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        int place = 0;
        // words must be in the table's order
        if (!take_word(w, choices, &place) || bits >> place != 0) {
            return false;
        }
        bits |= UINT64_C(1) << place;
    }
    log_varint_write(w->out, bits);
    return true;
}

static bool write_list(writer *w, const arg_list *list);

static bool write_shape(writer *w)
{
    const size_t start = w->in.at;
    uint64_t pairs = 0;
    const uint8_t *text = NULL;
    size_t size = 0;
    if (!log_take_map(&w->in, &pairs) || !log_take_key(&w->in, "kind") ||
        !log_take_bytes(&w->in, TAG_STR, WIRE_METHOD_BYTES_MAX, &text, &size)) {
        return false;
    }
    for (uint8_t kind = 0; kind < METHOD_SHAPE_COUNT; kind++) {
        if (choice_find(METHOD_SHAPES[kind].name, (const char *)text, size) == 0) {
            buffer_append(w->out, &kind, 1);
            w->in.at = start;
            return write_list(w, &METHOD_SHAPES[kind]);
        }
    }
    return false;
}

static bool write_shapes(writer *w)
{
    uint64_t count = 0;
    bool good = take_array(&w->in, &count);
    log_varint_write(w->out, count);
    for (; count > 0 && good; count--) {
        good = write_shape(w);
    }
    return good;
}

static bool write_method(writer *w, const method_info **out)
{
    const uint8_t *text = NULL;
    size_t size = 0;
    *out = log_take_bytes(&w->in, TAG_STR, WIRE_METHOD_BYTES_MAX, &text, &size)
               ? method_find((const char *)text, size)
               : NULL;
    if (*out == NULL) {
        return false;
    }
    const uint8_t number = (uint8_t)(*out)->id;
    buffer_append(w->out, &number, 1);
    return true;
}

// Writes the commands of a batch; a batch inside another is refused.
static bool write_commands(writer *w)
{
    uint64_t count = 0;
    bool good = take_array(&w->in, &count);
    log_varint_write(w->out, count);
    for (; count > 0 && good; count--) {
        const method_info *info = NULL;
        uint64_t elements = 0;
        good = take_array(&w->in, &elements) && elements == 2 && write_method(w, &info) &&
               info->batch && write_list(w, &info->list);
    }
    return good;
}

static bool write_value(writer *w, const method_arg *arg)
{
    int64_t integer = 0;
    int place = 0;
    bool flag = false;
    switch (arg->type) {
    case ARG_BOOL:
        if (take_bool(&w->in, &flag)) {
            const uint8_t byte = flag;
            buffer_append(w->out, &byte, 1);
            return true;
        }
        return false;
    case ARG_NUMBER:
    case ARG_VECTOR:
    case ARG_AREA:
        return write_fixed_numbers(w, arg);
    case ARG_VECTORS:
        return write_vectors(w);
    case ARG_INTEGER:
    case ARG_MASK:
        if (take_integer(&w->in, &integer)) {
            log_varint_write(w->out, compact_zigzag(integer));
            return true;
        }
        return false;
    case ARG_ID:
        return write_id(w);
    case ARG_STRING:
    case ARG_NAME:
        return write_text(w);
    case ARG_CHOICE:
        if (take_word(w, arg->choices, &place)) {
            log_varint_write(w->out, (uint64_t)place);
            return true;
        }
        return false;
    case ARG_CHOICES:
        return write_words(w, arg->choices);
    case ARG_FILTER:
        return write_list(w, &METHOD_FILTER);
    case ARG_PLAYERS:
        return write_list(w, &METHOD_PLAYERS);
    case ARG_SHAPE:
    case ARG_FORM:
        return write_shape(w);
    case ARG_SHAPES:
        return write_shapes(w);
    case ARG_COMMANDS:
        return write_commands(w);
    case ARG_ANY:
        return write_any(w);
    default:
        return false; // no command has others
    }
}

// Writes which arguments the map has, and the value of each.
static bool write_arguments(writer *w, const arg_list *list, const argument_map *map, uint32_t mask)
{
    log_varint_write(w->out, mask);
    const size_t end = w->in.at;
    for (uint32_t i = 0; i < list->count; i++) {
        if ((mask >> i & 1) != 0) {
            w->in.at = map->places[i];
            if (!write_value(w, &list->args[i])) {
                return false;
            }
        }
    }
    w->in.at = end;
    return true;
}

static bool write_list(writer *w, const arg_list *list)
{
    argument_map map;
    return take_map(&w->in, list, &map) && write_arguments(w, list, &map, map.mask);
}

// ---- rows

// A row's command being encoded: its flat part, and the rest unchanged.
typedef struct command_row {
    const method_info *info;
    argument_map map;
    const uint8_t *name; // COMPACT_WORLD_OTHER: of the world
    size_t name_size;
    compact_row row;
} command_row;

static bool read_world(writer *w, command_row *c)
{
    const arg_list *list = &c->info->list;
    const bool has = list->count > 0 && strcmp(list->args[0].name, "world") == 0;
    c->row.mask = has ? c->map.mask & ~1u : c->map.mask;
    c->row.world = COMPACT_WORLD_NONE;
    if (!has || (c->map.mask & 1) == 0) {
        return true;
    }
    const size_t end = w->in.at;
    w->in.at = c->map.places[0];
    if (!log_take_bytes(&w->in, TAG_STR, WIRE_WORLD_NAME_MAX, &c->name, &c->name_size)) {
        return false;
    }
    w->in.at = end;
    const bool own =
        c->name_size == strlen(w->world) && memcmp(c->name, w->world, c->name_size) == 0;
    c->row.world = own ? COMPACT_WORLD_OWN : COMPACT_WORLD_OTHER;
    return true;
}

static bool read_flat_value(log_cursor *c, const method_arg *arg, compact_row *row)
{
    const uint32_t count = compact_number_count(arg);
    uint32_t taken = 0;
    if (arg->type == ARG_ID && row->id_count < LOG_COMPACT_IDS_MAX) {
        return log_take_uint(c, &row->ids[row->id_count++]);
    }
    if (count == 0 || row->number_count + count > LOG_COMPACT_NUMBERS_MAX ||
        !take_numbers(c, arg, &row->numbers[row->number_count], &taken)) {
        return false;
    }
    for (uint32_t i = 0; i < count && arg->single; i++) {
        double *number = &row->numbers[row->number_count + i];
        *number = (double)(float)*number; // the value that the reader decodes
    }
    row->number_count += count;
    return true;
}

static void read_flat(writer *w, command_row *c)
{
    const size_t end = w->in.at;
    c->row.flat = c->row.world != COMPACT_WORLD_OTHER;
    for (uint32_t i = 0; i < c->info->list.count && c->row.flat; i++) {
        if ((c->row.mask >> i & 1) != 0) {
            w->in.at = c->map.places[i];
            c->row.flat = read_flat_value(&w->in, &c->info->list.args[i], &c->row);
        }
    }
    w->in.at = end;
}

// The distance back to the nearest row to which this one may be a difference; 0: none.
static uint32_t find_like(const compact_window *w, const compact_row *row)
{
    for (uint32_t distance = 1; row->flat && distance <= w->count; distance++) {
        const compact_row *other = compact_window_at(w, distance);
        if (other->flat && other->session == row->session && other->method == row->method &&
            other->world == row->world && other->mask == row->mask &&
            memcmp(other->ids, row->ids, row->id_count * sizeof *row->ids) == 0) {
            return distance;
        }
    }
    return 0;
}

static void write_head(writer *w, uint64_t ticks, uint8_t rest)
{
    const uint8_t head =
        (uint8_t)(rest | (ticks < COMPACT_TICKS_MOST ? ticks : COMPACT_TICKS_MOST));
    buffer_append(w->out, &head, 1);
    if (ticks >= COMPACT_TICKS_MOST) {
        log_varint_write(w->out, ticks - COMPACT_TICKS_MOST);
    }
}

static void write_difference(writer *w, const command_row *c, uint32_t distance)
{
    const compact_row *like = compact_window_at(&w->window, distance);
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->info->list.count; i++) {
        const method_arg *arg = &c->info->list.args[i];
        const uint32_t count = (c->row.mask >> i & 1) != 0 ? compact_number_count(arg) : 0;
        if (!arg->single && count > 0) {
            write_numbers(w->out, &c->row.numbers[at], &like->numbers[at], count);
        }
        for (uint32_t k = at; k < at + count && arg->single; k++) {
            const int64_t step =
                (int64_t)compact_place_of(c->row.numbers[k]) - compact_place_of(like->numbers[k]);
            log_varint_write(w->out, compact_zigzag(step));
        }
        at += count;
    }
}

static bool write_whole(writer *w, const command_row *c, uint64_t ticks)
{
    const uint8_t number = (uint8_t)c->info->id;
    write_head(w, ticks, (uint8_t)(c->row.world << COMPACT_SHIFT));
    log_varint_write(w->out, c->row.session);
    buffer_append(w->out, &number, 1);
    if (c->row.world == COMPACT_WORLD_OTHER) {
        log_varint_write(w->out, c->name_size);
        buffer_append(w->out, c->name, c->name_size);
    }
    return write_arguments(w, &c->info->list, &c->map, c->row.mask);
}

static bool write_row(writer *w, const log_command *command, uint64_t ticks)
{
    command_row c = {.info = method_find(command->method, command->method_size)};
    if (c.info == NULL || !log_compact_has(c.info->id)) {
        return false;
    }
    w->in = (log_cursor){.bytes = command->arguments, .size = command->arguments_size};
    c.row.session = command->session;
    c.row.method = c.info->id;
    if (!take_map(&w->in, &c.info->list, &c.map) || !read_world(w, &c)) {
        return false;
    }
    read_flat(w, &c);
    const uint32_t distance = find_like(&w->window, &c.row);
    bool good = true;
    if (distance > 0) {
        write_head(w, ticks, (uint8_t)(COMPACT_LIKE | (distance - 1) << COMPACT_SHIFT));
        write_difference(w, &c, distance);
    } else {
        good = write_whole(w, &c, ticks);
    }
    compact_window_push(&w->window, &c.row);
    return good;
}

bool log_compact_encode(buffer *out, const log_record *record, const char *world)
{
    const size_t start = out->size;
    writer w = {.out = out, .world = world};
    log_varint_write(out, (record->tick - record->from) << 1 | record->has_hash);
    if (record->has_hash) {
        uint8_t hash[8];
        for (int i = 0; i < 8; i++) {
            hash[i] = (uint8_t)(record->hash >> (56 - 8 * i));
        }
        buffer_append(out, hash, sizeof hash);
    }
    uint64_t tick = record->from;
    size_t offset = 0;
    log_command command;
    bool good = true;
    while (good && log_record_next(record, &offset, &command)) {
        good = write_row(&w, &command, command.tick - tick);
        tick = command.tick;
    }
    if (!good || out->overflow) {
        buffer_truncate(out, start);
        return false;
    }
    return true;
}
