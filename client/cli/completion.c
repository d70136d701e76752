// See completion.h. A completion must be quick and silent: it asks the server once, with a short
// timeout, and any error gives no candidates.
#include "client/cli/completion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/scene_list.h"
#include "client/cli/show.h"
#include "common/args/text.h"

enum {
    SERVER_TIMEOUT_MS = 300,
    CANDIDATES_MAX = 2000, // the most ids that are offered, for large worlds
    HOST_MAX = 256,
    DESCRIPTION_MAX = 160
};

typedef struct completer {
    const cli *c;
    char words[COMPLETION_WORDS_MAX][COMPLETION_WORD_BYTES_MAX];
    size_t count;
    const char *current;                  // the word to complete, from where the candidates differ
    char kept[COMPLETION_WORD_BYTES_MAX]; // precedes each candidate: "--server=", "begin,"
    size_t hidden; // leading bytes of `kept` and candidate that the shell does not expect again
    const cli_command *command;
    const char *server;
    const char *operands[COMPLETION_WORDS_MAX];
    size_t operand_count;
    size_t printed;
} completer;

// ---- candidates

static void offer(completer *k, const char *text, const char *description)
{
    char line[COMPLETION_WORD_BYTES_MAX * 2];
    if (strncmp(text, k->current, strlen(k->current)) != 0 || k->printed >= CANDIDATES_MAX) {
        return;
    }
    k->printed++;
    (void)snprintf(line, sizeof line, "%s%s", k->kept, text);
    size_t skip = strlen(line) >= k->hidden ? k->hidden : 0;
    if (description != NULL && description[0] != '\0') {
        (void)printf("%s\t%.*s\n", line + skip, DESCRIPTION_MAX, description);
    } else {
        (void)printf("%s\n", line + skip);
    }
}

// Moves the first `bytes` of the current word into the prefix of each candidate.
static void keep(completer *k, size_t bytes)
{
    size_t used = strlen(k->kept);
    (void)snprintf(k->kept + used, sizeof k->kept - used, "%.*s", (int)bytes, k->current);
    k->current += bytes;
}

static void offer_choices(completer *k, const char *choices)
{
    char word[64];
    for (size_t i = 0; choices != NULL && args_choice(choices, i, word, sizeof word); i++) {
        offer(k, word, NULL);
    }
}

// ---- names and ids from the server

static carom_value *ask(const completer *k, const char *method, carom_value *arguments)
{
    char host[HOST_MAX];
    uint16_t port = 0;
    carom_client *client = NULL;
    carom_value *result = NULL;
    carom_options options = carom_options_default();
    options.token = getenv("CAROM_TOKEN");
    options.tls.ca_file = getenv("CAROM_CA");
    options.tls.name = getenv("CAROM_TLS_NAME");
    if (carom_url_parse(k->server, host, sizeof host, &port, &options.tls.on, NULL) == CAROM_OK &&
        carom_connect(host, port, SERVER_TIMEOUT_MS, &options, &client, NULL) == CAROM_OK) {
        (void)carom_call(client, method, arguments, SERVER_TIMEOUT_MS, &result, NULL);
    }
    carom_free(client);
    carom_value_free(arguments);
    return result;
}

// {world: …} for the world that the words name; NULL when they name none.
static carom_value *world_args(const completer *k)
{
    const args_operand *o = k->command->operands;
    for (size_t i = 0; i < k->operand_count && o != NULL && o[i].name != NULL; i++) {
        if (o[i].kind == ARGS_WORLD) {
            return carom_set(carom_map(), "world", carom_str(k->operands[i]));
        }
    }
    return NULL;
}

static void offer_worlds(completer *k)
{
    carom_value *list = ask(k, "world.list", NULL);
    for (size_t i = 0; i < carom_value_count(list); i++) {
        char text[64];
        const carom_value *world = carom_value_at(list, i);
        (void)snprintf(text, sizeof text, "%llu %s%s",
                       TEXT_COUNTED(carom_get_uint(world, "bodies", 0), "body", "bodies"),
                       carom_value_get(world, "unavailable") != NULL ? ", not served"
                       : show_world_stands(world)                    ? ", paused"
                                                                     : "");
        offer(k, carom_get_str(world, "world", ""), text);
    }
    carom_value_free(list);
}

static void offer_scenes(completer *k)
{
    carom_value *info = ask(k, "server.info", NULL);
    carom_value *scenes = scene_list(carom_value_get(info, "scenes"));
    for (size_t i = 0; i < carom_value_count(scenes); i++) {
        const carom_value *scene = carom_value_at(scenes, i);
        offer(k, carom_get_str(scene, "scene", ""), carom_get_str(scene, "description", ""));
    }
    carom_value_free(scenes);
    carom_value_free(info);
}

// Offers the ids in a list of maps, each with the text under another key.
static void offer_ids(completer *k, const carom_value *list, const char *id, const char *about)
{
    for (size_t i = 0; i < carom_value_count(list); i++) {
        char text[32];
        const carom_value *one = carom_value_at(list, i);
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)carom_get_uint(one, id, 0));
        offer(k, text, carom_get_str(one, about, ""));
    }
}

static void offer_bodies(completer *k)
{
    carom_value *world = world_args(k);
    carom_value *state = world != NULL ? ask(k, "world.state", world) : NULL;
    offer_ids(k, carom_value_get(state, "bodies"), "body", "tag");
    carom_value_free(state);
}

static void offer_joints(completer *k)
{
    carom_value *world = world_args(k);
    carom_value *list = world != NULL ? ask(k, "joint.list", world) : NULL;
    offer_ids(k, carom_value_get(list, "joints"), "joint", "kind");
    carom_value_free(list);
}

static void offer_sessions(completer *k)
{
    carom_value *list = ask(k, "server.sessions", NULL);
    offer_ids(k, carom_value_get(list, "sessions"), "session", "client");
    carom_value_free(list);
}

// The fields of the body that the words name.
static void offer_fields(completer *k)
{
    carom_value *arguments = world_args(k);
    if (arguments == NULL || k->operand_count < 2) {
        carom_value_free(arguments);
        return;
    }
    carom_set(arguments, "body", params_id_word(k->operands[1]));
    carom_value *body = ask(k, "body.get", arguments);
    for (size_t i = 0; i < carom_value_count(body); i++) {
        offer(k, carom_value_key(body, i, NULL), NULL);
    }
    carom_value_free(body);
}

// ---- names of arguments

static bool is_identity(const char *name)
{
    static const char *const names[] = {"world", "body", "shape", "joint", "kind", "a", "b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// Offers NAME= for a method's arguments, and after the "=" the possible words of the value. `all`
// includes arguments that the command takes as operands.
static void offer_pairs(completer *k, const char *method, bool all)
{
    size_t index = 0;
    carom_argument argument;
    const char *equals = strchr(k->current, '=');
    if (!carom_method_find(method, NULL, &index)) {
        return;
    }
    for (size_t i = 0; carom_method_argument(index, i, &argument); i++) {
        size_t size = strlen(argument.name);
        if (!all && is_identity(argument.name)) {
            continue;
        }
        if (equals == NULL) {
            char pair[COMPLETION_WORD_BYTES_MAX];
            (void)snprintf(pair, sizeof pair, "%s=", argument.name);
            offer(k, pair, argument.doc);
        } else if ((size_t)(equals - k->current) == size &&
                   strncmp(k->current, argument.name, size) == 0) {
            keep(k, size + 1);
            offer_choices(k, argument.choices);
            if (strncmp(argument.type, "true or false", 13) == 0) {
                offer_choices(k, "true|false");
            }
            return;
        }
    }
}

// ---- values by their kind

// Completes a list of words separated by commas: the word after the last comma.
static void offer_event_kinds(completer *k, const char *choices)
{
    const char *comma = strrchr(k->current, ',');
    if (comma != NULL) {
        keep(k, (size_t)(comma - k->current) + 1);
    }
    offer_choices(k, choices);
}

static void offer_methods(completer *k)
{
    carom_method method;
    for (size_t i = 0; carom_method_at(i, &method); i++) {
        offer(k, method.name, method.doc);
    }
}

static void offer_commands(completer *k)
{
    for (size_t i = 0; i < cli_command_count; i++) {
        offer(k, cli_commands[i]->name, cli_commands[i]->summary);
    }
}

static void offer_kind(completer *k, args_kind kind, const char *choices)
{
    switch (kind) {
    case ARGS_CHOICE:
        offer_choices(k, choices);
        break;
    case ARGS_WORLD:
        offer_worlds(k);
        break;
    case ARGS_METHOD:
        offer_methods(k);
        break;
    case ARGS_SCENE:
        offer_scenes(k);
        break;
    case ARGS_FILE:
        (void)printf(":files\n");
        break;
    case ARGS_BODY:
        offer_bodies(k);
        break;
    case ARGS_SESSION:
        offer_sessions(k);
        break;
    case ARGS_FIELD:
        offer_fields(k);
        break;
    case ARGS_KINDS:
        offer_event_kinds(k, choices);
        break;
    case ARGS_TOPIC:
        offer_commands(k);
        for (size_t i = 0; help_topic_name(i) != NULL; i++) {
            offer(k, help_topic_name(i), help_topic_summary(i));
        }
        break;
    case ARGS_FLAG:
    case ARGS_TEXT:
    case ARGS_ID:
    case ARGS_WHOLE:
    case ARGS_COUNT:
    case ARGS_NUMBER:
    case ARGS_VECTOR:
    case ARGS_AREA:
    case ARGS_SIZE:
    case ARGS_BOX:
    case ARGS_SECONDS:
    case ARGS_JSON:
    case ARGS_PAIR:
        break; // anything goes
    }
}

// ---- operands whose meaning depends on those before

static bool is_number(const char *word)
{
    uint64_t id = 0;
    return text_to_whole(word, &id);
}

static void offer_joint_words(completer *k)
{
    const char *action = k->operands[0];
    if (strcmp(action, "create") == 0) {
        if (k->operand_count == 2) {
            size_t index = 0;
            carom_argument argument;
            (void)carom_method_find("joint.create", NULL, &index);
            for (size_t i = 0; carom_method_argument(index, i, &argument); i++) {
                if (strcmp(argument.name, "kind") == 0) {
                    offer_choices(k, argument.choices);
                }
            }
            return;
        }
        if (k->operand_count < 5 && strchr(k->current, '=') == NULL) {
            offer_bodies(k);
        }
        offer_pairs(k, "joint.create", false);
    } else if (k->operand_count == 2 || strcmp(action, "set") != 0) {
        offer_joints(k);
    } else {
        offer_pairs(k, "joint.set", false);
    }
}

static void offer_shape_words(completer *k)
{
    const char *action = k->operands[0];
    if (strcmp(action, "add") == 0 && k->operand_count == 2) {
        offer_bodies(k);
    } else if (strcmp(action, "set") == 0) {
        offer_pairs(k, "shape.set", false);
    }
}

// Offers candidates for special operands. False when the command's table is enough.
static bool offer_special(completer *k)
{
    const cli_command *command = k->command;
    if (command == &command_joint && k->operand_count >= 2) {
        offer_joint_words(k);
    } else if (command == &command_shape && k->operand_count >= 2) {
        offer_shape_words(k);
    } else if (command == &command_set && k->operand_count == 1) {
        if (strchr(k->current, '=') == NULL) {
            offer_bodies(k);
        }
        offer_pairs(k, "world.set", false);
    } else if (command == &command_set && k->operand_count > 1) {
        offer_pairs(k, is_number(k->operands[1]) ? "body.set" : "world.set", false);
    } else if (command == &command_create && k->operand_count >= 1) {
        offer_pairs(k, "world.create", false);
    } else if (command == &command_create) {
        return true; // a new name
    } else if (command == &command_spawn && k->operand_count >= 1) {
        offer_pairs(k, "body.spawn", false);
    } else if (command == &command_call && k->operand_count >= 1) {
        offer_pairs(k, k->operands[0], true);
    } else {
        return false;
    }
    return true;
}

static void offer_operand(completer *k)
{
    const args_operand *o = k->command->operands;
    if (offer_special(k) || o == NULL) {
        return;
    }
    for (size_t i = 0; i < k->operand_count && o->name != NULL && !o->repeated; i++) {
        o++;
    }
    if (o->name != NULL) {
        offer_kind(k, o->kind, o->choices);
    }
}

// ---- options

static const args_option *find_in(const args_option *list, const char *word, size_t size)
{
    for (; list != NULL && list->name != NULL; list++) {
        bool by_name = size > 2 && strlen(list->name) == size - 2 &&
                       strncmp(list->name, word + 2, size - 2) == 0;
        if (by_name || (size == 2 && word[1] == list->letter && word[1] != '-')) {
            return list;
        }
    }
    return NULL;
}

// The option that a word with a dash names, up to the word's "=" if it has one.
static const args_option *find_option(const completer *k, const char *word)
{
    size_t size = word[1] == '-' ? strcspn(word, "=") : 2;
    const args_option *found = k->command != NULL ? find_in(k->command->options, word, size) : NULL;
    return found != NULL ? found : find_in(cli_globals, word, size);
}

static void offer_option_names(completer *k)
{
    const args_option *lists[] = {k->command != NULL ? k->command->options : NULL, cli_globals};
    for (size_t i = 0; i < 2; i++) {
        for (const args_option *o = lists[i]; o != NULL && o->name != NULL; o++) {
            char name[COMPLETION_WORD_BYTES_MAX];
            (void)snprintf(name, sizeof name, "--%s", o->name);
            offer(k, name, o->help);
        }
    }
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '.' &&
           !(word[1] >= '0' && word[1] <= '9');
}

// ---- the words before

// Joins words that bash has split at "=" and ":", and records how much of the last word bash keeps.
static void take_words(completer *k, const char *const *words, size_t count, bool split)
{
    bool glued = false; // the next word belongs to this one
    for (size_t i = 0; i < count && k->count < COMPLETION_WORDS_MAX; i++) {
        bool glue = split && (strcmp(words[i], "=") == 0 || strcmp(words[i], ":") == 0);
        if ((glue || glued) && k->count > 0) {
            char *into = k->words[k->count - 1];
            size_t used = strlen(into);
            k->hidden = glue ? used + 1 : used;
            (void)snprintf(into + used, COMPLETION_WORD_BYTES_MAX - used, "%s", words[i]);
        } else {
            k->hidden = 0;
            (void)snprintf(k->words[k->count++], COMPLETION_WORD_BYTES_MAX, "%s", words[i]);
        }
        glued = glue;
    }
}

// Walks the words before the current one. Returns the option that still needs its value, or NULL.
static const args_option *walk(completer *k)
{
    const args_option *waiting = NULL;
    for (size_t i = 0; i + 1 < k->count; i++) {
        const char *word = k->words[i];
        if (waiting != NULL) {
            k->server = strcmp(waiting->name, "server") == 0 ? word : k->server;
            waiting = NULL;
        } else if (is_option(word)) {
            const args_option *option = find_option(k, word);
            bool attached = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
            waiting = option != NULL && option->kind != ARGS_FLAG && !attached ? option : NULL;
            if (option != NULL && attached && strcmp(option->name, "server") == 0) {
                k->server = word[1] == '-' ? strchr(word, '=') + 1 : word + 2;
            }
        } else if (k->command == NULL) {
            k->command = cli_command_find(word);
            if (k->command == NULL) {
                k->count = 0;
            }
        } else {
            k->operands[k->operand_count++] = word;
        }
    }
    return waiting;
}

void completion_print(const cli *c, const char *const *words, size_t count, bool split)
{
    static completer work;
    completer *k = &work;
    *k = (completer){.c = c, .server = c->server};
    take_words(k, words, count, split);
    if (k->count == 0) {
        return;
    }
    k->current = k->words[k->count - 1];
    const args_option *waiting = walk(k);
    if (k->count == 0) {
        return; // an unknown command
    }
    const char *equals = strchr(k->current, '=');
    if (waiting != NULL) {
        offer_kind(k, waiting->kind, waiting->choices);
    } else if (is_option(k->current) && equals != NULL && k->current[1] == '-') {
        const args_option *option = find_option(k, k->current);
        keep(k, (size_t)(equals - k->current) + 1);
        if (option != NULL) {
            offer_kind(k, option->kind, option->choices);
        }
    } else if (k->current[0] == '-') {
        offer_option_names(k);
    } else if (k->command == NULL) {
        offer_commands(k);
    } else {
        offer_operand(k);
    }
}
