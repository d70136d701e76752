// See json_line.h. It skips values by looking only at brackets and quotes.
#include "client/tool/json_line.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

// Skips a string; `at` is its first quote.
static const char *skip_string(const char *at)
{
    for (at++; *at != '\0' && *at != '"'; at++) {
        at += *at == '\\' && at[1] != '\0' ? 1 : 0;
    }
    return *at == '"' ? at + 1 : at;
}

// Skips a value of any kind.
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        at = skip_space(at);
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '[' || *at == '{') {
            depth++;
            at++;
        } else if (*at == ']' || *at == '}') {
            depth -= depth > 0 ? 1 : 0;
            at++;
        } else if (*at == ',' || *at == ':') {
            at++;
        } else {
            at += strcspn(at, " \t\r\n,:]}[{\"");
        }
    } while (depth > 0 && *at != '\0');
    return at;
}

// The value of a key of the object at `at`; NULL if there is none.
static const char *find_key(const char *at, const char *key, size_t size)
{
    if (*at != '{') {
        return NULL;
    }
    for (at = skip_space(at + 1); *at == '"'; at = skip_space(at)) {
        const char *name = at + 1;
        at = skip_string(at);
        bool same = (size_t)(at - name) == size + 1 && strncmp(name, key, size) == 0;
        at = skip_space(at);
        at = skip_space(at + (*at == ':' ? 1 : 0));
        if (same) {
            return at;
        }
        at = skip_space(skip_value(at));
        at += *at == ',' ? 1 : 0;
    }
    return NULL;
}

// Element `index` of the array at `at`; NULL if there is none.
static const char *find_index(const char *at, unsigned long index)
{
    if (*at != '[') {
        return NULL;
    }
    at = skip_space(at + 1);
    for (unsigned long i = 0; i < index && *at != '\0' && *at != ']'; i++) {
        at = skip_space(skip_value(at));
        at = skip_space(at + (*at == ',' ? 1 : 0));
    }
    return *at == '\0' || *at == ']' ? NULL : at;
}

int json_line(const char *text, const char *path)
{
    const char *at = skip_space(text);
    const char *found = NULL;
    while (at != NULL) {
        if (*path == '[' && isdigit((unsigned char)path[1])) {
            char *end = NULL;
            at = find_index(at, strtoul(path + 1, &end, 10));
            path = *end == ']' ? end + 1 : "";
        } else {
            path += *path == '.' ? 1 : 0;
            size_t length = strspn(path, "abcdefghijklmnopqrstuvwxyz_");
            at = length > 0 ? find_key(at, path, length) : NULL;
            path += length;
        }
        found = at != NULL ? at : found;
    }
    int line = found != NULL ? 1 : 0;
    for (const char *c = text; found != NULL && c < found; c++) {
        line += *c == '\n' ? 1 : 0;
    }
    return line;
}
