// The actions of a scenario: calls with their arguments, checked against the protocol's table of
// methods, and pauses. See scenario_read.h. Pure; one thread.
#include "client/load/scenario_read.h"

#include <stdio.h>
#include <string.h>

#include <carom/methods.h>

#include "common/args/text.h"

enum { NAMES_MAX = 64, LIST_BYTES = 500 };

#define ACTION_WEIGHT_MAX 1e6

// Methods that a client of a load cannot call, with the reason.
static const char *const refused[][2] = {
    {"hello", "each client says it itself"},
    {"goodbye", "each client says it itself, in the end"},
    {"world.subscribe", "say \"subscribe\" of the kind of clients"},
    {"world.unsubscribe", "a client keeps its subscription"},
    {"world.create", "load makes the worlds: --worlds"},
    {"world.fork", "load makes the worlds: --worlds"},
    {"world.destroy", "load removes the worlds"},
    {"world.pause", "a world that stands answers nothing"},
    {"world.resume", "worlds of a load run"},
    {"world.step", "worlds of a load run"},
    {"server.kick", "clients of a load stay"},
};

static const char *reason_against(const char *method)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (strcmp(method, refused[i][0]) == 0) {
            return refused[i][1];
        }
    }
    return NULL;
}

// ---- arguments

// The names of the arguments of a method that a scenario may give.
static size_t argument_names(size_t method, const char *names[NAMES_MAX])
{
    carom_argument one;
    size_t count = 0;
    for (size_t i = 0; count < NAMES_MAX && carom_method_argument(method, i, &one); i++) {
        if (strcmp(one.name, "world") != 0 && strcmp(one.name, "lifetime") != 0) {
            names[count++] = one.name;
        }
    }
    return count;
}

static bool is_number(const carom_value *value)
{
    carom_type type = carom_value_type(value);
    return type == CAROM_INT || type == CAROM_UINT || type == CAROM_REAL;
}

static bool are_numbers(const carom_value *value, size_t count)
{
    bool sound = carom_value_type(value) == CAROM_ARRAY && carom_value_count(value) == count;
    for (size_t i = 0; sound && i < count; i++) {
        sound = is_number(carom_value_at(value, i));
    }
    return sound;
}

static bool is_choice(const char *choices, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = choices; size > 0 && strchr(word, '|') == NULL && at != NULL;
         at = strchr(at, '|')) {
        at += *at == '|' ? 1 : 0;
        if (strncmp(at, word, size) == 0 && (at[size] == '|' || at[size] == '\0')) {
            return true;
        }
    }
    return false;
}

// Whether a value, with its expressions computed, can have the table's type. The server checks
// ranges and contents.
static bool fits(const carom_argument *argument, const carom_value *value)
{
    const char *type = argument->type;
    carom_type is = carom_value_type(value);
    if (strcmp(type, "a number") == 0 || strcmp(type, "an integer") == 0) {
        return is_number(value);
    }
    if (strcmp(type, "an id") == 0) { // or {"$": i} in world.apply
        return is == CAROM_UINT || is == CAROM_REAL || carom_value_get(value, "$") != NULL;
    }
    if (strcmp(type, "true or false") == 0) {
        return is == CAROM_BOOL;
    }
    if (strcmp(type, "[x, y]") == 0) {
        return are_numbers(value, 2);
    }
    if (strcmp(type, "[x0, y0, x1, y1]") == 0) {
        return are_numbers(value, 4);
    }
    if (argument->choices[0] != '\0' && is != CAROM_ARRAY) {
        return is == CAROM_STR && is_choice(argument->choices, carom_as_str(value, ""));
    }
    if (strcmp(type, "a string") == 0 || strncmp(type, "a name", 6) == 0) {
        return is == CAROM_STR;
    }
    bool map = strncmp(type, "a map", 5) == 0;
    bool array = strncmp(type, "an array", 8) == 0;
    return (!map || is == CAROM_MAP) && (!array || is == CAROM_ARRAY);
}

static bool check_argument(scenario_reader *r, size_t method, const char *name,
                           const carom_value *value, const char *path)
{
    carom_argument one;
    for (size_t i = 0; carom_method_argument(method, i, &one); i++) {
        if (strcmp(one.name, name) == 0) {
            bool choice = one.choices[0] != '\0';
            return fits(&one, value) ||
                   scenario_fail(r, path, "expected %s%s%s%s", choice ? "one of " : "",
                                 choice ? one.choices : one.type, one.unit[0] != '\0' ? " in " : "",
                                 one.unit);
        }
    }
    return true;
}

static bool check_names(scenario_reader *r, const char *method, size_t index,
                        const carom_value *args, const char *path)
{
    const char *names[NAMES_MAX];
    size_t count = argument_names(index, names);
    if (carom_value_get(args, "world") != NULL) {
        return scenario_fail(r, path, "world: leave it out; bench adds each client's own world");
    }
    if (carom_value_get(args, "lifetime") != NULL) {
        return scenario_fail(
            r, path, "lifetime: it is always session, so that a load leaves nothing behind");
    }
    if (carom_value_count(args) > 0 && count == 0) {
        return scenario_fail(r, path, "%s has no arguments here", method);
    }
    return count == 0 || scenario_keys(r, args, path, names, count);
}

static bool check_required(scenario_reader *r, const char *method, size_t index,
                           const carom_value *args, const char *path)
{
    carom_argument one;
    for (size_t i = 0; carom_method_argument(index, i, &one); i++) {
        if (one.required && strcmp(one.name, "world") != 0 &&
            carom_value_get(args, one.name) == NULL) {
            return scenario_fail(r, path, "%s needs %s (%s)", method, one.name, one.type);
        }
    }
    return true;
}

static bool check_words(scenario_reader *r, const carom_value *args, const load_behaviour *kind,
                        const char *path)
{
    fill_use use = {.own = false};
    fill_look(args, &use);
    if (use.own && (kind == NULL || !kind->own_body)) {
        return scenario_fail(r, path,
                             "$own: these clients have no body of their own; say \"body\"");
    }
    return !use.subscription || (kind != NULL && kind->subscribes) ||
           scenario_fail(r, path, "$subscription: these clients do not subscribe");
}

bool scenario_arguments(scenario_reader *r, const char *method, const carom_value *args,
                        const carom_value *let, const load_behaviour *kind, const char *path)
{
    char why[FILL_ERROR_MAX] = "";
    size_t index = 0;
    (void)carom_method_find(method, NULL, &index);
    if (!check_names(r, method, index, args, path) || !check_words(r, args, kind, path)) {
        return false;
    }
    fill_scope scope;
    fill_begin(&scope, r->plan, &r->client);
    if (!fill_define(&scope, let, why)) {
        (void)snprintf(r->error, SCENARIO_ERROR_MAX, "%s: let%s", path, why);
        return false;
    }
    carom_value *filled = fill_args(args, &scope, why);
    if (filled == NULL) { // the error's text follows the place
        (void)snprintf(r->error, SCENARIO_ERROR_MAX, "%s%s", path, why);
        return false;
    }
    bool sound = check_required(r, method, index, args, path);
    for (size_t i = 0; sound && i < carom_value_count(filled); i++) {
        char place[SCENARIO_PATH_BYTES];
        const char *name = carom_value_key(filled, i, NULL);
        scenario_place(place, "%s.%.60s", path, name);
        sound = check_argument(r, index, name, carom_value_at(filled, i), place);
    }
    carom_value_free(filled);
    return sound;
}

// ---- world.apply

static bool find_method(scenario_reader *r, const char *name, const char *path, carom_method *out)
{
    static const char *names[NAMES_MAX];
    size_t count = 0;
    for (carom_method one; count < NAMES_MAX && carom_method_at(count, &one); count++) {
        names[count] = one.name;
    }
    if (!carom_method_find(name, out, NULL)) {
        const char *meant = text_suggest(name, names, count);
        return scenario_fail(r, path, "there is no method '%.60s'%s%s%s 'carom methods' lists them",
                             name, meant != NULL ? "; did you mean '" : ";",
                             meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    }
    const char *reason = reason_against(name);
    if (reason != NULL) {
        return scenario_fail(r, path, "%s has no place in a scenario: %s", name, reason);
    }
    return out->available || scenario_fail(r, path, "%s is not available in this version", name);
}

// Checks the commands of a batch: methods, arguments, and bodies that live as long as the session.
static bool check_batch(scenario_reader *r, load_action *out, const load_behaviour *kind,
                        const char *path)
{
    carom_value *commands = carom_value_take(out->args, "commands");
    carom_value *sound = carom_array();
    bool good = true;
    for (size_t i = 0; good && i < carom_value_count(commands); i++) {
        char place[SCENARIO_PATH_BYTES];
        carom_method method;
        const carom_value *entry = carom_value_at(commands, i);
        const char *name = carom_as_str(carom_value_at(entry, 0), NULL);
        scenario_place(place, "%s.commands[%zu]", path, i);
        if (name == NULL || carom_value_type(carom_value_at(entry, 1)) != CAROM_MAP ||
            carom_value_count(entry) != 2) {
            good = scenario_fail(r, place, "expected [\"method\", {arguments}]");
            break;
        }
        good = find_method(r, name, place, &method) &&
               (method.batch || scenario_fail(r, place, "%s is not allowed in world.apply", name));
        scenario_place(place, "%s.commands[%zu][1]", path, i);
        good = good && scenario_arguments(r, name, carom_value_at(entry, 1), out->let, kind, place);
        carom_value *args = carom_value_clone(carom_value_at(entry, 1));
        if (strcmp(name, "body.spawn") == 0) {
            carom_set(args, "lifetime", carom_str("session"));
        }
        carom_push(sound, carom_push(carom_push(carom_array(), carom_str(name)), args));
    }
    carom_value_free(commands);
    carom_set(out->args, "commands", sound);
    return good;
}

// ---- actions

static bool read_extras(scenario_reader *r, const carom_value *map, const char *path,
                        load_action *out)
{
    static const char *const keys[] = {"weight", "let", "keep"};
    out->weight = 1.0;
    out->keep = LOAD_KEPT_DEFAULT;
    if (map == NULL) {
        return true;
    }
    const carom_value *let = carom_value_get(map, "let");
    if (!scenario_keys(r, map, path, keys, 3) ||
        !scenario_number(r, map, path, "weight", 0.0, ACTION_WEIGHT_MAX, &out->weight) ||
        !scenario_whole(r, map, path, "keep", 1, LOAD_KEPT_MAX, &out->keep)) {
        return false;
    }
    if (carom_value_get(map, "keep") != NULL && strcmp(out->method, "body.spawn") != 0) {
        return scenario_fail(r, path, "keep is only for body.spawn");
    }
    if (let != NULL &&
        (carom_value_type(let) != CAROM_MAP || carom_value_count(let) > LOAD_LETS_MAX)) {
        return scenario_fail(r, path, "let: expected {\"name\": expression}, at most %d of them",
                             LOAD_LETS_MAX);
    }
    for (size_t i = 0; i < carom_value_count(let); i++) {
        if (!scenario_variable(r, path, carom_value_key(let, i, NULL))) {
            return false;
        }
    }
    out->let = let != NULL ? carom_value_clone(let) : NULL;
    return true;
}

// Records whether the arguments differ from call to call, and which of the client's values they
// use.
static void note_use(load_action *out, const carom_method *method, size_t index)
{
    fill_use use = {.own = false};
    carom_argument one;
    fill_look(out->args, &use);
    out->moves = use.changes || out->let != NULL;
    out->needs_spawned = use.spawned;
    out->spawns = strcmp(method->name, "body.spawn") == 0;
    out->command = strcmp(method->role, "viewer") != 0 && strcmp(method->role, "none") != 0 &&
                   strstr(method->result, "tick") != NULL;
    for (size_t i = 0; carom_method_argument(index, i, &one); i++) {
        out->world = out->world || strcmp(one.name, "world") == 0;
    }
    if (out->spawns) {
        carom_set(out->args, "lifetime", carom_str("session"));
    }
}

// Reads [method, arguments, {"weight": …, "let": …, "keep": …}].
static bool read_call(scenario_reader *r, const carom_value *entry, const char *path,
                      const load_behaviour *kind, load_action *out)
{
    const carom_value *args = carom_value_at(entry, 1);
    carom_method method;
    size_t index = 0;
    char place[SCENARIO_PATH_BYTES];
    const char *name = carom_as_str(carom_value_at(entry, 0), NULL);
    if (name == NULL || carom_value_count(entry) > 3 ||
        (args != NULL && carom_value_type(args) != CAROM_MAP)) {
        return scenario_fail(r, path,
                             "expected [\"method\", {arguments}], perhaps with {\"weight\": 2, "
                             "\"let\": {…}, \"keep\": 4}");
    }
    if (!find_method(r, name, path, &method)) {
        return false;
    }
    (void)carom_method_find(name, NULL, &index);
    out->method = method.name;
    scenario_place(place, "%s[2]", path);
    if (!read_extras(r, carom_value_at(entry, 2), place, out)) {
        return false;
    }
    out->args = args != NULL ? carom_value_clone(args) : carom_map();
    scenario_place(place, "%s[1]", path);
    if (!scenario_arguments(r, name, out->args, out->let, kind, place)) {
        return false;
    }
    if (strcmp(name, "world.apply") == 0 && !check_batch(r, out, kind, place)) {
        return false;
    }
    note_use(out, &method, index);
    return true;
}

static bool read_action(scenario_reader *r, const carom_value *entry, const char *path,
                        const load_behaviour *kind, load_action *out)
{
    static const char *const keys[] = {"pause"};
    if (carom_value_type(entry) == CAROM_ARRAY) {
        return read_call(r, entry, path, kind, out);
    }
    char place[SCENARIO_PATH_BYTES];
    scenario_place(place, "%s.pause", path);
    if (carom_value_type(entry) != CAROM_MAP || carom_value_get(entry, "pause") == NULL) {
        return scenario_fail(r, path, "expected [\"method\", {arguments}] or {\"pause\": seconds}");
    }
    if (kind->order != LOAD_IN_ORDER) {
        return scenario_fail(r, path,
                             "a pause between actions is allowed only with \"order\": \"all\"");
    }
    return scenario_keys(r, entry, path, keys, 1) &&
           scenario_pause(r, carom_value_get(entry, "pause"), place, out->pause);
}

bool scenario_actions(scenario_reader *r, const carom_value *list, const char *path,
                      load_behaviour *out)
{
    size_t count = carom_value_count(list);
    double weights = 0.0;
    size_t calls = 0;
    if (carom_value_type(list) != CAROM_ARRAY || count < 1 || count > LOAD_ACTIONS_MAX) {
        return scenario_fail(r, path, "expected a list of 1 to %d actions", LOAD_ACTIONS_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        char place[SCENARIO_PATH_BYTES];
        // counted here, so that load_plan_deinit frees it
        load_action *one = &out->actions[out->action_count++];
        *one = (load_action){.method = NULL};
        scenario_place(place, "%s[%zu]", path, i);
        if (!read_action(r, carom_value_at(list, i), place, out, one)) {
            return false;
        }
        weights += one->weight;
        calls += one->method != NULL ? 1 : 0;
    }
    if (calls == 0) {
        return scenario_fail(r, path, "nothing but pauses");
    }
    return out->order != LOAD_BY_WEIGHT || weights > 0.0 ||
           scenario_fail(r, path, "every weight is 0: at least one must be above");
}
