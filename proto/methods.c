// Looks names, arguments and words up in the table of methods, and finds the nearest one to a
// misspelt name.
#include "proto/methods.h"

#include <string.h>

#include "common/base/assert.h"

static const char *const TYPES[ARG_TYPE_COUNT] = {
    [ARG_BOOL] = "true or false",
    [ARG_NUMBER] = "a number",
    [ARG_INTEGER] = "an integer",
    [ARG_MASK] = "a mask of 64 bits",
    [ARG_ID] = "an id",
    [ARG_STRING] = "a string",
    [ARG_NAME] = "a name of 1 to 64 of A-Z a-z 0-9 _ . -",
    [ARG_CHOICE] = "a word",
    [ARG_CHOICES] = "an array of words",
    [ARG_VECTOR] = "[x, y]",
    [ARG_VECTORS] = "an array of [x, y]",
    [ARG_AREA] = "[x0, y0, x1, y1]",
    [ARG_FILTER] = "a map {category, mask, group}",
    [ARG_PRECISION] = "a map {position, angle, velocity}",
    [ARG_SHAPE] = "a map {kind, …}",
    [ARG_FORM] = "a map {kind, …}",
    [ARG_SHAPES] = "an array of shapes",
    [ARG_COMMANDS] = "an array of [method, arguments]",
    [ARG_BYTES] = "bytes (bin)",
    [ARG_ANY] = "anything",
    [ARG_PREFIXES] = "true, or an array of strings",
    [ARG_PLAYERS] = "a map of bounds: methods, mass, speed …",
};

static bool word_is(const char *word, const char *text, size_t size)
{
    return strlen(word) == size && memcmp(word, text, size) == 0;
}

bool role_parse(const char *name, size_t size, role *out)
{
    for (int r = 0; r < ROLE_COUNT; r++) {
        if (word_is(role_name((role)r), name, size)) {
            *out = (role)r;
            return true;
        }
    }
    return false;
}

const char *arg_type_name(arg_type type)
{
    return (unsigned)type < ARG_TYPE_COUNT ? TYPES[type] : "?";
}

// 35 names: looking through them costs less than decoding the arguments that follow.
const method_info *method_find(const char *name, size_t size)
{
    for (int m = 0; m < METHOD_COUNT; m++) {
        if (word_is(METHODS[m].list.name, name, size)) {
            return &METHODS[m];
        }
    }
    return NULL;
}

int arg_list_find(const arg_list *list, const char *name, size_t size)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (word_is(list->args[i].name, name, size)) {
            return (int)i;
        }
    }
    return -1;
}

int choice_find(const char *choices, const char *word, size_t size)
{
    int index = 0;
    for (const char *at = choices;; index++) {
        size_t length = strcspn(at, "|");
        if (length == size && memcmp(at, word, size) == 0) {
            return index;
        }
        if (at[length] == '\0') {
            return -1;
        }
        at += length + 1;
    }
}

const char *choice_word(const char *choices, uint32_t index, size_t *size)
{
    const char *at = choices;
    for (; index > 0; index--) {
        at += strcspn(at, "|");
        ASSERT(*at == '|');
        at++;
    }
    *size = strcspn(at, "|");
    return at;
}

const char *method_suggest(const char *name, size_t size, char out[SUGGEST_TEXT_MAX])
{
    suggestion s;
    suggest_begin(&s, name, size);
    for (int m = 0; m < METHOD_COUNT; m++) {
        suggest_offer(&s, METHODS[m].list.name, strlen(METHODS[m].list.name));
    }
    return suggest_text(&s, out);
}

const char *arg_list_suggest(const arg_list *list, const char *name, size_t size,
                             char out[SUGGEST_TEXT_MAX])
{
    suggestion s;
    suggest_begin(&s, name, size);
    for (uint32_t i = 0; i < list->count; i++) {
        suggest_offer(&s, list->args[i].name, strlen(list->args[i].name));
    }
    return suggest_text(&s, out);
}

const char *choice_suggest(const char *choices, const char *word, size_t size,
                           char out[SUGGEST_TEXT_MAX])
{
    suggestion s;
    suggest_begin(&s, word, size);
    for (const char *at = choices;; at++) {
        size_t length = strcspn(at, "|");
        suggest_offer(&s, at, length);
        at += length;
        if (*at == '\0') {
            return suggest_text(&s, out);
        }
    }
}
