// See show.h.
#include "client/cli/show.h"

#include <string.h>

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

static void json_word(const carom_value *value, char *out, size_t size)
{
    char *text = carom_json_print(value, false, NULL);
    int used = snprintf(out, size, "%s", text != NULL ? text : "?");
    if (used >= (int)size && size > 4) {
        memcpy(out + size - 4, "...", 4);
    }
    carom_free_text(text);
}

// Hexadecimal digits, as hashes are read best.
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

void show_cell(table *t, const carom_value *value)
{
    char word[WORD_MAX];
    show_word(value, word, sizeof word);
    table_text(t, word);
}

static void add_map(table *t, const carom_value *map, int indent)
{
    for (size_t i = 0; i < carom_value_count(map); i++) {
        const carom_value *value = carom_value_at(map, i);
        table_format(t, "%*s%s", indent, "", carom_value_key(map, i, NULL));
        if (carom_value_type(value) == CAROM_MAP) {
            table_text(t, "");
            add_map(t, value, indent + 2);
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
    add_map(&t, map, 0);
    bool whole = table_print(&t, out);
    table_deinit(&t);
    return whole ? CLI_OK : cli_out_of_memory();
}

void show_tick(cli *c, const carom_value *result)
{
    (void)c;
    const char *world = carom_get_str(result, "world", NULL);
    unsigned long long tick = carom_get_uint(result, "tick", 0);
    if (world != NULL) {
        (void)printf("%s: tick %llu\n", world, tick);
    } else {
        (void)printf("tick %llu\n", tick);
    }
}
