// Reads settings line by line; see config_file.h. Main thread.
#include "server/config/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>

static const char BLANKS[] = " \t\r\n";

// The text without blanks around it.
static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t size = strlen(text);
    while (size > 0 && strchr(BLANKS, text[size - 1]) != NULL) {
        text[--size] = '\0';
    }
    return text;
}

static status take_line(char *text, int line, config_file_take take, void *context, error *err)
{
    text = trim(text);
    if (*text == '\0' || *text == '#') {
        return STATUS_OK;
    }
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "a line is NAME = VALUE, or a # comment");
    }
    *equals = '\0';
    return take(context, trim(text), trim(equals + 1), line, err);
}

// Reads the next line without its end. False at the end of the file.
static bool read_line(FILE *file, char text[CONFIG_LINE_BYTES_MAX], const char **fault)
{
    size_t size = 0;
    int c = fgetc(file);
    *fault = NULL;
    if (c == EOF) {
        return false;
    }
    while (c != EOF && c != '\n' && *fault == NULL) {
        if (c == '\0') {
            *fault = "a zero byte: this is no text";
        } else if (size + 1 == CONFIG_LINE_BYTES_MAX) {
            *fault = "a line has at most 8191 bytes";
        } else {
            text[size++] = (char)c;
            c = fgetc(file);
        }
    }
    text[size] = '\0';
    return true;
}

status config_file_read(const char *path, config_file_take take, void *context, error *err)
{
    char text[CONFIG_LINE_BYTES_MAX];
    const char *fault = NULL;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "'%s' cannot be read: %s", path,
                         strerror(errno));
    }
    status s = STATUS_OK;
    int line = 0;
    while (s == STATUS_OK && read_line(file, text, &fault)) {
        line++;
        if (line > CONFIG_FILE_LINES_MAX) {
            fault = "a file has at most 10000 lines";
        }
        s = fault != NULL ? error_set(err, STATUS_INVALID_ARGUMENT, "%s", fault)
                          : take_line(text, line, take, context, err);
        if (s != STATUS_OK) {
            error_prefix(err, "%s:%d", path, line);
        }
    }
    if (s == STATUS_OK && ferror(file)) {
        s = error_set(err, STATUS_INVALID_ARGUMENT, "'%s' cannot be read: %s", path,
                      strerror(errno));
    }
    fclose(file);
    return s;
}
