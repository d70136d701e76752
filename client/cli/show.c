// See show.h.
#include "client/cli/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/args/text.h"

enum { WORD_MAX = 160 };

static void number_word(double value, char *out, size_t size)
{
    int used = snprintf(out, size, "%.6f", value);
    if (used <= 0 || (size_t)used >= size) {
        return;
    }
    while (out[used - 1] == '0') {
        out[--used] = '\0';
    }
    if (out[used - 1] == '.') {
        out[--used] = '\0';
    }
    if (strcmp(out, "-0") == 0) {
        out[0] = '0';
        out[1] = '\0';
    }
}

static bool is_number(const carom_value *value)
{
    carom_type type = carom_value_type(value);
    return type == CAROM_INT || type == CAROM_UINT || type == CAROM_REAL;
}

static bool all_numbers(const carom_value *value)
{
    size_t count = carom_value_count(value);
    for (size_t i = 0; i < count; i++) {
        if (!is_number(carom_value_at(value, i))) {
            return false;
        }
    }
    return carom_value_type(value) == CAROM_ARRAY && count > 0;
}

static void numbers_word(const carom_value *value, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < carom_value_count(value) && used + 1 < size; i++) {
        char one[64];
        number_word(carom_as_real(carom_value_at(value, i), 0.0), one, sizeof one);
        int more = snprintf(out + used, size - used, "%s%s", i == 0 ? "" : ", ", one);
        used += more > 0 ? (size_t)more : 0;
    }
}

// The decimal number with the fewest digits that gives the same float: 0.6, not 0.6000000238418579.
// Whole numbers above FLOAT_WHOLE_MAX stay unchanged.
static double readable_number(double value)
{
    const double FLOAT_WHOLE_MAX = 16777216.0;
    if (!(value > -FLOAT_WHOLE_MAX && value < FLOAT_WHOLE_MAX)) {
        return value;
    }
    const float single = (float)value;
    if ((double)single < value || (double)single > value) {
        return value;
    }
    for (int digits = 6; digits <= 9; digits++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        const double near = strtod(text, NULL);
        if ((float)near >= single && (float)near <= single) {
            return near;
        }
    }
    return value;
}

// A copy with readable numbers. Values from a server are nested at most WIRE_DEPTH_MAX deep.
static carom_value *readable(const carom_value *value)
{
    carom_value *copy = NULL;
    switch (carom_value_type(value)) {
    case CAROM_REAL:
        return carom_real(readable_number(carom_as_real(value, 0.0)));
    case CAROM_ARRAY:
        copy = carom_array();
        for (size_t i = 0; i < carom_value_count(value); i++) {
            carom_push(copy, readable(carom_value_at(value, i)));
        }
        return copy;
    case CAROM_MAP:
        copy = carom_map();
        for (size_t i = 0; i < carom_value_count(value); i++) {
            carom_set(copy, carom_value_key(value, i, NULL), readable(carom_value_at(value, i)));
        }
        return copy;
    default:
        return carom_value_clone(value);
    }
}

// Writes a value as JSON, cut after a comma or a space if possible, so that no word is cut.
static void json_word(const carom_value *value, char *out, size_t size)
{
    carom_value *shown = readable(value);
    char *text = carom_json_print(shown, false, NULL);
    carom_value_free(shown);
    int used = snprintf(out, size, "%s", text != NULL ? text : "?");
    if (used >= (int)size && size > 8) {
        size_t end = size - 5;
        for (size_t i = end; i > size / 2; i--) {
            if (out[i - 1] == ',' || out[i - 1] == ' ') {
                end = i;
                break;
            }
        }
        (void)snprintf(out + end, size - end, "%s", " ...");
    }
    carom_free_text(text);
}

// Writes bytes as hexadecimal digits, the usual form of hashes.
static void bytes_word(const carom_value *value, char *out, size_t size)
{
    size_t count = 0;
    const unsigned char *bytes = carom_as_bytes(value, &count);
    out[0] = '\0';
    for (size_t i = 0; i < count && 2 * i + 3 <= size; i++) {
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    }
}

void show_word(const carom_value *value, char *out, size_t size)
{
    switch (carom_value_type(value)) {
    case CAROM_STR:
        (void)snprintf(out, size, "%s", carom_as_str(value, ""));
        break;
    case CAROM_BOOL:
        (void)snprintf(out, size, "%s", carom_as_bool(value, false) ? "yes" : "no");
        break;
    case CAROM_REAL:
        number_word(carom_as_real(value, 0.0), out, size);
        break;
    case CAROM_NIL:
        (void)snprintf(out, size, "-");
        break;
    case CAROM_ARRAY:
        if (all_numbers(value)) {
            numbers_word(value, out, size);
        } else {
            json_word(value, out, size);
        }
        break;
    case CAROM_BIN:
        bytes_word(value, out, size);
        break;
    case CAROM_INT:
    case CAROM_UINT:
    case CAROM_MAP:
        json_word(value, out, size);
        break;
    }
}

void show_line(const carom_value *value)
{
    char word[WORD_MAX];
    carom_type type = carom_value_type(value);
    if (type == CAROM_STR) {
        cli_print_line("%s", carom_as_str(value, ""));
    } else if (type == CAROM_MAP || (type == CAROM_ARRAY && !all_numbers(value)) ||
               carom_value_count(value) > 4) {
        carom_value *shown = readable(value);
        (void)cli_print_json(shown);
        carom_value_free(shown);
    } else {
        show_word(value, word, sizeof word);
        cli_print_line("%s", word);
    }
}

void show_cell(table *t, const carom_value *value)
{
    char word[WORD_MAX];
    show_word(value, word, sizeof word);
    table_text(t, word);
}

// Adds a value with its unit: lengths of time, and the latencies of server.stats, which are in
// seconds.
static bool add_with_unit(table *t, const char *key, const carom_value *value, bool latencies)
{
    static const char *const durations[] = {"time", "uptime"};
    static const char *const percentiles[] = {"p50", "p90", "p99", "p999", "max"};
    char text[64];
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        if (is_number(value) && strcmp(key, durations[i]) == 0) {
            text_from_duration(carom_as_real(value, 0.0), text, sizeof text);
            table_text(t, text);
            return true;
        }
    }
    for (size_t i = 0; latencies && i < sizeof percentiles / sizeof percentiles[0]; i++) {
        if (is_number(value) && strcmp(key, percentiles[i]) == 0) {
            text_from_seconds(carom_as_real(value, 0.0), text, sizeof text);
            table_text(t, text);
            return true;
        }
    }
    return false;
}

// `latencies`: the numbers of this map are lengths of time in seconds.
static void add_map(table *t, const carom_value *map, int indent, bool latencies)
{
    for (size_t i = 0; i < carom_value_count(map); i++) {
        const carom_value *value = carom_value_at(map, i);
        const char *key = carom_value_key(map, i, NULL);
        table_format(t, "%*s%s", indent, "", key);
        if (add_with_unit(t, key, value, latencies)) {
            continue;
        }
        if (carom_value_type(value) == CAROM_MAP) {
            table_text(t, "");
            add_map(t, value, indent + 2, latencies || strcmp(key, "latencies") == 0);
        } else if (carom_value_type(value) == CAROM_ARRAY &&
                   carom_value_type(carom_value_at(value, 0)) == CAROM_MAP) {
            table_text(t, "");
            for (size_t k = 0; k < carom_value_count(value); k++) {
                char word[WORD_MAX];
                show_word(carom_value_at(value, k), word, sizeof word);
                table_format(t, "%*s[%zu]", indent + 2, "", k);
                table_text(t, word);
            }
        } else {
            show_cell(t, value);
        }
    }
}

cli_exit show_map(const carom_value *map, FILE *out)
{
    if (carom_value_type(map) != CAROM_MAP) {
        return cli_print_pretty(map);
    }
    static const char *const heads[] = {"NAME", "VALUE"};
    table t;
    table_init(&t, 2, heads);
    add_map(&t, map, 0, false);
    bool whole = table_print(&t, out);
    table_deinit(&t);
    return whole ? CLI_OK : cli_out_of_memory();
}

bool show_world_stands(const carom_value *world)
{
    return carom_get_bool(world, "paused", false) &&
           carom_get_real(world, "rate", 0.0) < SHOW_STEPPED_HZ;
}

const char *show_world_state(const carom_value *world, char *out, size_t size)
{
    const double rate = carom_get_real(world, "rate", 0.0);
    (void)snprintf(out, size, "stepped at %.*f Hz", rate < 9.95 ? 1 : 0, rate);
    return carom_value_get(world, "unavailable") != NULL ? "not served"
           : show_world_stands(world)                    ? "paused"
           : carom_get_bool(world, "paused", false)      ? out
                                                         : "running";
}

table_mark show_world_mark(const carom_value *world)
{
    return carom_value_get(world, "unavailable") != NULL ? TABLE_BAD
           : show_world_stands(world)                    ? TABLE_DIM
                                                         : TABLE_GOOD;
}

void show_done(cli *c, const carom_value *result)
{
    (void)printf("%s (tick %llu)\n", c->done,
                 (unsigned long long)carom_get_uint(result, "tick", 0));
}

void show_message(const carom_event *event, char *out, size_t size)
{
    char word[WORD_MAX] = "";
    carom_value *data = carom_event_data(event);
    char from[32];
    (void)snprintf(from, sizeof from, "session %" PRIu64, event->session);
    if (data != NULL) {
        show_word(data, word, sizeof word);
    }
    const char *who = *event->subject != '\0' ? event->subject : from;
    if (event->message != NULL) {
        (void)snprintf(out, size, "%s: %s%s%s", who, event->message, data != NULL ? " " : "", word);
    } else {
        (void)snprintf(out, size, "%s %s seat %" PRIu64 "%s%s", who,
                       event->kind == CAROM_EVENT_JOIN ? "takes" : "leaves", event->seat,
                       data != NULL ? " " : "", word);
    }
    text_tame(out);
    carom_value_free(data);
}
