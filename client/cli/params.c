// See params.h.
#include "client/cli/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args/text.h"

enum { NAME_BYTES_MAX = 64, LIST_BYTES = 700, NUMBERS_MAX = 4, WORD_BYTES_MAX = 128 };

static cli_exit refuse_shape(const cli *c, const char *option, const char *looks, const char *text)
{
    return cli_usage(c, "--%s takes %s, not '%.100s'", option, looks, text);
}

// Reads "x,y x,y x,y": vectors separated by spaces or semicolons.
static carom_value *read_points(const char *text)
{
    carom_value *points = carom_array();
    size_t count = 0;
    for (const char *at = text + strspn(text, " ;\t"); *at != '\0'; at += strspn(at, " ;\t")) {
        char word[WORD_BYTES_MAX];
        size_t size = strcspn(at, " ;\t");
        double v[2];
        (void)snprintf(word, sizeof word, "%.*s",
                       (int)(size < sizeof word ? size : sizeof word - 1), at);
        if (size >= sizeof word || !text_to_numbers(word, 2, v)) {
            carom_value_free(points);
            return NULL;
        }
        points = carom_push(points, carom_vec(v[0], v[1]));
        at += size;
        count++;
    }
    if (count < 2) {
        carom_value_free(points);
        return NULL;
    }
    return points;
}

static carom_value *shape_of(const char *kind)
{
    return carom_set(carom_map(), "kind", carom_str(kind));
}

static cli_exit read_point_shape(const cli *c, const args_given *given, carom_value **out)
{
    bool polygon = strcmp(given->option->name, "polygon") == 0;
    carom_value *points = read_points(given->value);
    if (points == NULL) {
        return refuse_shape(c, given->option->name, "points such as \"0,0 1,0 0,1\"", given->value);
    }
    *out = carom_set(shape_of(polygon ? "polygon" : "chain"), "vertices", points);
    if (strcmp(given->option->name, "loop") == 0) {
        carom_set(*out, "loop", carom_bool(true));
    }
    return CLI_OK;
}

static cli_exit read_capsule(const cli *c, const args_given *given, carom_value **out)
{
    double n[5];
    char head[WORD_BYTES_MAX];
    const char *last = strrchr(given->value, ',');
    int size = last == NULL ? 0 : (int)(last - given->value);
    (void)snprintf(head, sizeof head, "%.*s", size < WORD_BYTES_MAX ? size : 0, given->value);
    if (last == NULL || !text_to_numbers(head, 4, n) || !text_to_number(last + 1, &n[4])) {
        return refuse_shape(c, "capsule", "five numbers such as -0.5,0,0.5,0,0.2", given->value);
    }
    *out = carom_set(shape_of("capsule"), "a", carom_vec(n[0], n[1]));
    carom_set(*out, "b", carom_vec(n[2], n[3]));
    carom_set(*out, "radius", carom_real(n[4]));
    return CLI_OK;
}

static cli_exit read_json(const cli *c, const char *option, const char *text, carom_value **out)
{
    carom_error error = {0};
    if (carom_json_parse(text, strlen(text), out, &error) != CAROM_OK) {
        return cli_usage(c, "--%s: %s", option, error.text);
    }
    return CLI_OK;
}

// Reads the shape that an option describes; *out stays NULL for options that describe none.
static cli_exit read_shape(const cli *c, const args_given *given, carom_value **out)
{
    const char *name = given->option->name;
    double n[4];
    if (strcmp(name, "circle") == 0 && text_to_number(given->value, n)) {
        *out = carom_set(shape_of("circle"), "radius", carom_real(n[0]));
    } else if (strcmp(name, "box") == 0 && text_to_size(given->value, n)) {
        *out = carom_set(shape_of("box"), "size", carom_vec(n[0], n[1]));
    } else if (strcmp(name, "segment") == 0 && text_to_numbers(given->value, 4, n)) {
        *out = carom_set(shape_of("segment"), "a", carom_vec(n[0], n[1]));
        carom_set(*out, "b", carom_vec(n[2], n[3]));
    } else if (strcmp(name, "capsule") == 0) {
        return read_capsule(c, given, out);
    } else if (strcmp(name, "polygon") == 0 || strcmp(name, "chain") == 0 ||
               strcmp(name, "loop") == 0) {
        return read_point_shape(c, given, out);
    } else if (strcmp(name, "shape") == 0) {
        return read_json(c, name, given->value, out);
    }
    return CLI_OK;
}

// Reads "begin,end": words separated by commas.
static carom_value *read_words(const char *text)
{
    carom_value *words = carom_array();
    for (const char *at = text;; at++) {
        size_t size = strcspn(at, ",");
        words = carom_push(words, carom_strn(at, size));
        at += size;
        if (*at == '\0') {
            return words;
        }
    }
}

void params_matter(const cli *c, carom_value *into)
{
    static const params_row ROWS[] = {PARAMS_MATTER};
    params_method(c, ROWS, sizeof ROWS / sizeof *ROWS, into);
    params_filter(c, into);
}

// Sets the material and filter that the options give to all shapes of the command.
static void set_matter(const cli *c, carom_value *shape)
{
    const char *kind = carom_get_str(shape, "kind", "");
    if (strcmp(kind, "box") == 0 || strcmp(kind, "polygon") == 0) {
        params_number(c, "rounding", shape, "radius");
    }
    params_matter(c, shape);
}

cli_exit params_shapes(const cli *c, carom_value *shapes)
{
    for (size_t i = 0; i < c->args.given_count; i++) {
        carom_value *shape = NULL;
        cli_exit code = read_shape(c, &c->args.given[i], &shape);
        if (code != CLI_OK) {
            return code;
        }
        if (shape == NULL) {
            continue;
        }
        set_matter(c, shape);
        carom_push(shapes, shape);
    }
    return carom_value_ok(shapes) ? CLI_OK : cli_out_of_memory();
}

cli_exit params_shape(const cli *c, carom_value **out)
{
    carom_value *found = NULL;
    for (size_t i = 0; i < c->args.given_count; i++) {
        carom_value *shape = NULL;
        cli_exit code = read_shape(c, &c->args.given[i], &shape);
        if (code == CLI_OK && shape != NULL && found != NULL) {
            code = cli_usage(c, "one shape is enough");
        }
        if (code != CLI_OK) {
            carom_value_free(shape);
            carom_value_free(found);
            return code;
        }
        found = shape != NULL ? shape : found;
    }
    if (found == NULL) {
        return cli_usage(c, "a shape is missing: --circle R, --box WxH, --capsule, --polygon, "
                            "--segment or --shape JSON");
    }
    *out = found;
    return CLI_OK;
}

void params_filter(const cli *c, carom_value *into)
{
    static const params_row ROWS[] = {PARAMS_FILTER}; // a query's filter uses the same names
    carom_value *filter = carom_map();
    params_method(c, ROWS, sizeof ROWS / sizeof *ROWS, filter);
    if (carom_value_ok(filter) && carom_value_count(filter) == 0) {
        carom_value_free(filter);
    } else {
        carom_set(into, "filter", filter);
    }
}

void params_vector(const cli *c, const char *option, carom_value *into, const char *key)
{
    double v[2];
    if (args_numbers(&c->args, option, v)) {
        carom_set(into, key, carom_vec(v[0], v[1]));
    }
}

void params_area(const cli *c, const char *option, carom_value *into, const char *key)
{
    double v[4];
    if (args_numbers(&c->args, option, v)) {
        carom_value *area = carom_array();
        for (int i = 0; i < 4; i++) {
            area = carom_push(area, carom_real(v[i]));
        }
        carom_set(into, key, area);
    }
}

void params_number(const cli *c, const char *option, carom_value *into, const char *key)
{
    if (args_has(&c->args, option)) {
        carom_set(into, key, carom_real(args_number(&c->args, option, 0.0)));
    }
}

void params_whole(const cli *c, const char *option, carom_value *into, const char *key)
{
    if (args_has(&c->args, option)) {
        carom_set(into, key, carom_uint(args_whole(&c->args, option, 0)));
    }
}

void params_text(const cli *c, const char *option, carom_value *into, const char *key)
{
    const char *text = args_text(&c->args, option, NULL);
    if (text != NULL) {
        carom_set(into, key, carom_str(text));
    }
}

static void set_row(const cli *c, const params_row *row, carom_value *into)
{
    switch (row->kind) {
    case ARGS_FLAG:
        if (args_has(&c->args, row->option)) {
            carom_set(into, row->argument, carom_bool(row->value));
        }
        break;
    case ARGS_NUMBER:
        params_number(c, row->option, into, row->argument);
        break;
    case ARGS_WHOLE:
    case ARGS_COUNT:
        params_whole(c, row->option, into, row->argument);
        break;
    case ARGS_VECTOR:
        params_vector(c, row->option, into, row->argument);
        break;
    case ARGS_AREA:
        params_area(c, row->option, into, row->argument);
        break;
    case ARGS_BODY:
    case ARGS_ID:
        params_whole(c, row->option, into, row->argument);
        break;
    case ARGS_JSON:
        if (args_has(&c->args, row->option)) {
            carom_set(into, row->argument,
                      params_value(args_text(&c->args, row->option, ""), PARAMS_ANY));
        }
        break;
    default: // texts, names, words
        if (row->words && args_has(&c->args, row->option)) {
            carom_set(into, row->argument, read_words(args_text(&c->args, row->option, "")));
        } else {
            params_text(c, row->option, into, row->argument);
        }
    }
}

void params_method(const cli *c, const params_row *rows, size_t count, carom_value *into)
{
    for (size_t i = 0; i < count; i++) {
        set_row(c, &rows[i], into);
    }
}

carom_value *params_vector_word(const char *word)
{
    double v[2] = {0.0, 0.0};
    (void)text_to_numbers(word, 2, v);
    return carom_vec(v[0], v[1]);
}

carom_value *params_id_word(const char *word)
{
    uint64_t id = 0;
    (void)text_to_whole(word, &id);
    return carom_uint(id);
}

carom_value *params_value(const char *text, params_form form)
{
    carom_value *value = NULL;
    if (form == PARAMS_TEXT) {
        return carom_str(text);
    }
    if (carom_json_parse(text, strlen(text), &value, NULL) == CAROM_OK) {
        return value;
    }
    double n[NUMBERS_MAX];
    for (int count = 2; count <= NUMBERS_MAX; count += 2) { // a vector, or an area
        if (text_to_numbers(text, count, n)) {
            value = carom_array();
            for (int i = 0; i < count; i++) {
                value = carom_push(value, carom_real(n[i]));
            }
            return value;
        }
    }
    return form == PARAMS_WORDS ? read_words(text) : carom_str(text);
}

// The form of words for an argument, by libcarom's description of its type.
static params_form form_of(const char *type)
{
    if (strncmp(type, "an array of words", 17) == 0) {
        return PARAMS_WORDS;
    }
    bool text = strncmp(type, "a string", 8) == 0 || strncmp(type, "a name", 6) == 0 ||
                strncmp(type, "a word", 6) == 0;
    return text ? PARAMS_TEXT : PARAMS_ANY;
}

// Whether the method has that argument, and the form of its words. Without a table any name is
// accepted.
static bool find_argument(const char *method, const char *name, params_form *form)
{
    size_t index = 0;
    *form = PARAMS_ANY;
    if (method == NULL || !carom_method_find(method, NULL, &index)) {
        return true;
    }
    carom_argument argument;
    for (size_t i = 0; carom_method_argument(index, i, &argument); i++) {
        if (strcmp(argument.name, name) == 0) {
            *form = form_of(argument.type);
            return true;
        }
    }
    return false;
}

// Whether the argument belongs to shapes but was given to a body.
static bool is_of_shapes(const char *method, const char *name)
{
    static const char *const names[] = {
        "friction", "restitution", "density", "rolling_resistance", "tangent_speed", "sensor",
        "filter",   "events",      "one_way"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return strcmp(method, "body.set") == 0 || strcmp(method, "body.spawn") == 0;
        }
    }
    return false;
}

static cli_exit refuse_name(const cli *c, const char *method, const char *name)
{
    const char *names[NAME_BYTES_MAX];
    char told[LIST_BYTES];
    size_t count = 0;
    size_t index = 0;
    carom_argument argument;
    (void)carom_method_find(method, NULL, &index);
    while (count < NAME_BYTES_MAX && carom_method_argument(index, count, &argument)) {
        names[count++] = argument.name;
    }
    if (is_of_shapes(method, name)) {
        (void)cli_usage(c, "'%s' belongs to the shapes of a body, not to the body", name);
        cli_hint("carom shape set WORLD --body BODY %s=VALUE sets it for all shapes of a body",
                 name);
        cli_hint("carom shape set WORLD SHAPE %s=VALUE for one; 'carom get WORLD BODY' shows ids",
                 name);
        return CLI_USAGE;
    }
    const char *meant = text_suggest(name, names, count);
    if (meant != NULL) {
        return cli_usage(c, "%s has no '%s'; did you mean '%s'?", method, name, meant);
    }
    text_list(names, count, "and", told, sizeof told);
    return cli_usage(c, "%s has no '%s'; it takes %s", method, name, told);
}

// An example of a pair that the method accepts, for errors.
static const char *example_of(const char *method)
{
    static const struct {
        const char *method, *pair;
    } examples[] = {{"world.", "gravity=0,-1.62"},
                    {"body.", "position=0,5"},
                    {"shape.", "friction=0.4"},
                    {"joint.", "motor_speed=3"}};
    for (size_t i = 0; method != NULL && i < sizeof examples / sizeof examples[0]; i++) {
        if (strncmp(method, examples[i].method, strlen(examples[i].method)) == 0) {
            return examples[i].pair;
        }
    }
    return "world=demo";
}

cli_exit params_pairs(const cli *c, size_t first, const char *method, carom_value *into)
{
    for (size_t i = first; i < c->args.word_count; i++) {
        const char *word = c->args.words[i];
        const char *equals = strchr(word, '=');
        char name[NAME_BYTES_MAX];
        if (equals == NULL || equals == word || (size_t)(equals - word) >= sizeof name) {
            return cli_usage(c, "'%.100s' is not NAME=VALUE such as %s", word, example_of(method));
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
        params_form form = PARAMS_ANY;
        if (!find_argument(method, name, &form)) {
            return refuse_name(c, method, name);
        }
        carom_set(into, name, params_value(equals + 1, form));
    }
    return carom_value_ok(into) ? CLI_OK : cli_out_of_memory();
}
