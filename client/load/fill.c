// See fill.h. Pure, any thread.
#include "client/load/fill.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {"$own", "$spawned", "$subscription"};
enum { WORDS = sizeof words / sizeof words[0] };

const char *const fill_variables[FILL_OWN_VARIABLES + 1] = {"client", "clients", "world", "x",
                                                            "y",      "t",       "n",     NULL};

double fill_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

void fill_begin(fill_scope *scope, const load_plan *plan, fill_client *client)
{
    const double values[FILL_OWN_VARIABLES] = {
        (double)client->number, (double)client->clients, (double)client->world, client->home.x,
        client->home.y,         client->seconds,         (double)client->calls};
    scope->client = client;
    scope->count = 0;
    for (int i = 0; i < FILL_OWN_VARIABLES; i++) {
        scope->variables[scope->count++] = (carom_variable){fill_variables[i], values[i]};
    }
    for (size_t i = 0; i < plan->constant_count; i++) {
        scope->variables[scope->count++] = plan->constants[i];
    }
}

static bool refuse(char error[FILL_ERROR_MAX], const char *text)
{
    (void)snprintf(error, FILL_ERROR_MAX, ": %s", text);
    return false;
}

// Puts the place in front of an error.
static void locate(char error[FILL_ERROR_MAX], const char *place)
{
    char text[FILL_ERROR_MAX];
    (void)snprintf(text, sizeof text, "%s%s", place, error);
    memcpy(error, text, sizeof text);
}

bool fill_number(fill_scope *scope, const carom_value *value, double *out,
                 char error[FILL_ERROR_MAX])
{
    carom_error why = {0};
    carom_type type = carom_value_type(value);
    const char *text = carom_as_str(value, NULL);
    if (text != NULL) {
        size_t size = 0;
        (void)carom_as_bytes(value, &size);
        return carom_expression_evaluate(text, size, scope->variables, scope->count,
                                         &scope->client->random, out, &why) == CAROM_OK ||
               refuse(error, why.text);
    }
    bool number = type == CAROM_INT || type == CAROM_UINT || type == CAROM_REAL;
    *out =
        type == CAROM_BOOL ? (carom_as_bool(value, false) ? 1.0 : 0.0) : carom_as_real(value, 0.0);
    bool finite = *out - *out == 0.0;
    return ((number || type == CAROM_BOOL) && finite) ||
           refuse(error, "expected a finite number or an expression");
}

bool fill_define(fill_scope *scope, const carom_value *let, char error[FILL_ERROR_MAX])
{
    for (size_t i = 0; i < carom_value_count(let) && i < LOAD_LETS_MAX; i++) {
        double value = 0.0;
        const char *name = carom_value_key(let, i, NULL);
        if (!fill_number(scope, carom_value_at(let, i), &value, error)) {
            locate(error, name);
            locate(error, ".");
            return false;
        }
        scope->variables[scope->count++] = (carom_variable){name, value};
    }
    return true;
}

// ---- strings

static int word_of(const char *text)
{
    for (int i = 0; text[0] == '$' && i < WORDS; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static carom_value *fill_string(const carom_value *value, fill_scope *scope,
                                char error[FILL_ERROR_MAX])
{
    const char *text = carom_as_str(value, "");
    size_t size = 0;
    (void)carom_as_bytes(value, &size);
    const fill_client *client = scope->client;
    const uint64_t ids[WORDS] = {client->own, client->spawned, client->subscription};
    int word = word_of(text);
    if (word >= 0) {
        return carom_uint(ids[word]);
    }
    if (text[0] == '$' && text[1] != '$') {
        (void)refuse(error, "expected \"$own\", \"$spawned\" or \"$subscription\"; $$ is a dollar");
        return NULL;
    }
    size_t skip = text[0] == '$' ? 1 : 0;
    if (text[0] != '=' && memchr(text, '{', size) == NULL) {
        return carom_strn(text + skip, size - skip);
    }
    carom_error why = {0};
    carom_value *out = NULL;
    if (carom_expression_fill(text + skip, size - skip, scope->variables, scope->count,
                              &scope->client->random, &out, &why) != CAROM_OK) {
        (void)refuse(error, why.text);
    }
    return out;
}

// ---- trees

static void locate_step(const carom_value *args, size_t index, char error[FILL_ERROR_MAX])
{
    char step[80];
    if (carom_value_type(args) == CAROM_MAP) {
        (void)snprintf(step, sizeof step, ".%.70s", carom_value_key(args, index, NULL));
    } else {
        (void)snprintf(step, sizeof step, "[%zu]", index);
    }
    locate(error, step);
}

carom_value *fill_args(const carom_value *args, fill_scope *scope, char error[FILL_ERROR_MAX])
{
    carom_type type = carom_value_type(args);
    if (type == CAROM_STR) {
        return fill_string(args, scope, error);
    }
    if (type != CAROM_ARRAY && type != CAROM_MAP) {
        return carom_value_clone(args);
    }
    carom_value *out = type == CAROM_MAP ? carom_map() : carom_array();
    for (size_t i = 0; i < carom_value_count(args); i++) {
        carom_value *child = fill_args(carom_value_at(args, i), scope, error);
        if (child == NULL) {
            locate_step(args, i, error);
            carom_value_free(out);
            return NULL;
        }
        if (type == CAROM_MAP) {
            carom_set(out, carom_value_key(args, i, NULL), child);
        } else {
            carom_push(out, child);
        }
    }
    return out;
}

void fill_look(const carom_value *args, fill_use *use)
{
    const char *text = carom_as_str(args, "");
    int word = word_of(text);
    use->own = use->own || word == 0;
    use->spawned = use->spawned || word == 1;
    use->subscription = use->subscription || word == 2;
    use->changes = use->changes || word == 1 || text[0] == '=' || strchr(text, '{') != NULL;
    for (size_t i = 0; carom_value_type(args) >= CAROM_ARRAY && i < carom_value_count(args); i++) {
        fill_look(carom_value_at(args, i), use);
    }
}
