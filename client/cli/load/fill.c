// See fill.h. Pure, any thread.
#include "client/cli/load/fill.h"

#include <stdio.h>
#include <string.h>

enum { WHERE_BYTES = 160, PARTS_MAX = 2 };

static const char *const words[] = {"$own", "$spawned", "$subscription"};
static const char *const makers[] = {"$random", "$near", "$area"};
enum { RANDOM, NEAR, AREA, MAKERS };

double fill_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) * 0x1p-53;
}

// Which of the makers a map is; MAKERS: none.
static int maker_of(const carom_value *value)
{
    const char *key = carom_value_count(value) == 1 && carom_value_type(value) == CAROM_MAP
                          ? carom_value_key(value, 0, NULL)
                          : "";
    int i = 0;
    while (i < MAKERS && strcmp(key, makers[i]) != 0) {
        i++;
    }
    return i;
}

static bool refuse(char error[FILL_ERROR_MAX], const char *where, const char *why)
{
    (void)snprintf(error, FILL_ERROR_MAX, "%s: %s", where, why);
    return false;
}

static bool is_number(const carom_value *value)
{
    carom_type type = carom_value_type(value);
    return type == CAROM_INT || type == CAROM_UINT || type == CAROM_REAL;
}

static bool check_maker(const carom_value *value, int maker, const char *where,
                        char error[FILL_ERROR_MAX])
{
    const carom_value *pair = carom_value_at(value, 0);
    if (carom_value_type(pair) != CAROM_ARRAY || carom_value_count(pair) != PARTS_MAX ||
        !is_number(carom_value_at(pair, 0)) || !is_number(carom_value_at(pair, 1))) {
        return refuse(error, where,
                      "expected two numbers: {\"$random\": [from, to]}, {\"$near\": [x, y]} or "
                      "{\"$area\": [width, height]}");
    }
    carom_vec2 v = carom_as_vec(pair, (carom_vec2){0.0, 0.0});
    if (maker == RANDOM && v.x > v.y) {
        return refuse(error, where, "the first number of $random must not be above the second");
    }
    if (maker == AREA && (v.x <= 0.0 || v.y <= 0.0)) {
        return refuse(error, where, "width and height of $area must be above 0");
    }
    return maker != NEAR || (v.x >= 0.0 && v.y >= 0.0) ||
           refuse(error, where, "the distances of $near must not be negative");
}

static bool check_word(const char *text, fill_use *use, const char *where,
                       char error[FILL_ERROR_MAX])
{
    if (text[0] != '$') {
        return true;
    }
    use->own |= strcmp(text, words[0]) == 0;
    use->spawned |= strcmp(text, words[1]) == 0;
    use->subscription |= strcmp(text, words[2]) == 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return refuse(error, where, "expected \"$own\", \"$spawned\" or \"$subscription\"");
}

static bool check(const carom_value *value, const char *where, fill_use *use,
                  char error[FILL_ERROR_MAX])
{
    carom_type type = carom_value_type(value);
    if (type == CAROM_STR) {
        return check_word(carom_as_str(value, ""), use, where, error);
    }
    int maker = maker_of(value);
    if (maker < MAKERS) {
        use->random = true;
        return check_maker(value, maker, where, error);
    }
    bool sound = true;
    for (size_t i = 0; sound && type >= CAROM_ARRAY && i < carom_value_count(value); i++) {
        char inner[WHERE_BYTES];
        const char *key = carom_value_key(value, i, NULL);
        if (type == CAROM_MAP && key[0] == '$') {
            return refuse(error, where,
                          "expected {\"$random\": [from, to]}, {\"$near\": [x, y]} or {\"$area\": "
                          "[width, height]}, alone in its map");
        }
        if (type == CAROM_MAP) {
            (void)snprintf(inner, sizeof inner, "%s.%s", where, key);
        } else {
            (void)snprintf(inner, sizeof inner, "%s[%zu]", where, i);
        }
        sound = check(carom_value_at(value, i), inner, use, error);
    }
    return sound;
}

bool fill_check(const carom_value *args, fill_use *use, char error[FILL_ERROR_MAX])
{
    return check(args, "args", use, error);
}

static carom_value *make(const carom_value *value, int maker, fill_client *client)
{
    carom_vec2 v = carom_as_vec(carom_value_at(value, 0), (carom_vec2){0.0, 0.0});
    if (maker == RANDOM) {
        return carom_real(v.x + (v.y - v.x) * fill_random(&client->seed));
    }
    double reach = maker == AREA ? 0.5 : 1.0;
    double x = client->home.x + reach * v.x * (2.0 * fill_random(&client->seed) - 1.0);
    double y = client->home.y + reach * v.y * (2.0 * fill_random(&client->seed) - 1.0);
    if (maker == NEAR) {
        return carom_vec(x, y);
    }
    carom_value *area = carom_push(carom_array(), carom_real(x - v.x / 2.0));
    carom_push(area, carom_real(y - v.y / 2.0));
    carom_push(area, carom_real(x + v.x / 2.0));
    return carom_push(area, carom_real(y + v.y / 2.0));
}

carom_value *fill_args(const carom_value *args, fill_client *client)
{
    carom_type type = carom_value_type(args);
    if (type == CAROM_STR) {
        const char *text = carom_as_str(args, "");
        const uint64_t ids[] = {client->own, client->spawned, client->subscription};
        for (size_t i = 0; text[0] == '$' && i < sizeof ids / sizeof ids[0]; i++) {
            if (strcmp(text, words[i]) == 0) {
                return carom_uint(ids[i]);
            }
        }
    }
    int maker = maker_of(args);
    if (maker < MAKERS) {
        return make(args, maker, client);
    }
    if (type != CAROM_ARRAY && type != CAROM_MAP) {
        return carom_value_clone(args);
    }
    carom_value *out = type == CAROM_MAP ? carom_map() : carom_array();
    for (size_t i = 0; i < carom_value_count(args); i++) {
        carom_value *child = fill_args(carom_value_at(args, i), client);
        if (type == CAROM_MAP) {
            carom_set(out, carom_value_key(args, i, NULL), child);
        } else {
            carom_push(out, child);
        }
    }
    return out;
}
