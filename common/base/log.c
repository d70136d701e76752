// Lines of the log (log.h). A line is put together on the stack and written with one call, so lines
// of several threads do not mix. Longer ones are cut at LINE_BYTES_MAX, and are whole JSON all the
// same: room for its end is kept.
#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE_BYTES_MAX = 1024,
    ESCAPE_BYTES_MAX = 6, // \u001f
    CHARACTER_BYTES_MAX = 4
};

static const char *const NAMES[LOG_LEVEL_COUNT] = {"error", "warn", "info", "debug"};
static const char JSON_END[] = "\"}";
static log_level threshold = LOG_INFO;
static log_format shape = LOG_TEXT;

void log_set_level(log_level level)
{
    threshold = level;
}

void log_set_format(log_format format)
{
    shape = format;
}

bool log_level_parse(const char *name, log_level *out)
{
    for (int level = 0; level < LOG_LEVEL_COUNT; level++) {
        if (strcmp(name, NAMES[level]) == 0) {
            *out = (log_level)level;
            return true;
        }
    }
    return false;
}

// "2026-11-23T19:54:01.123Z"
static size_t put_time(char *out, size_t room)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(out, room, "%Y-%m-%dT%H:%M:%S", &utc);
    return used + (size_t)snprintf(out + used, room - used, ".%03ldZ", now.tv_nsec / 1000000);
}

// Bytes of the UTF-8 character at `s`, 0 where there is none. Overlong ones count as none.
static size_t character(const unsigned char *s)
{
    size_t length = *s < 0x80   ? 1
                    : *s < 0xC2 ? 0
                    : *s < 0xE0 ? 2
                    : *s < 0xF0 ? 3
                    : *s < 0xF5 ? 4
                                : 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) { // also the zero at the end
            return 0;
        }
    }
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xED && s[1] > 0x9F;
    bool beyond = s[0] == 0xF4 && s[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

// The text as the inside of a JSON string, as much of it as fits.
static size_t put_escaped(char *out, size_t room, const char *text)
{
    size_t used = 0;
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0' && used + ESCAPE_BYTES_MAX < room) {
        size_t length = character(at);
        if (*at == '"' || *at == '\\') {
            out[used++] = '\\';
            out[used++] = (char)*at++;
        } else if (*at < 0x20 || length == 0) {
            unsigned code = length == 0 ? 0xFFFD : *at; // U+FFFD in the place of what is no UTF-8
            used += (size_t)snprintf(out + used, room - used, "\\u%04x", code);
            at++;
        } else {
            memcpy(out + used, at, length);
            used += length;
            at += length;
        }
    }
    return used;
}

static size_t put_json(char *line, size_t room, log_level level, const char *text)
{
    size_t end = sizeof JSON_END - 1;
    size_t used = (size_t)snprintf(line, room, "{\"time\":\"");
    used += put_time(line + used, room - used);
    used += (size_t)snprintf(line + used, room - used, "\",\"level\":\"%s\",\"message\":\"",
                             NAMES[level]);
    used += put_escaped(line + used, room - used - end, text);
    memcpy(line + used, JSON_END, end);
    return used + end;
}

static size_t put_text(char *line, size_t room, log_level level, const char *text)
{
    size_t used = put_time(line, room);
    used += (size_t)snprintf(line + used, room - used, " %-5s ", NAMES[level]);
    size_t size = strlen(text);
    size = size < room - used ? size : room - used;
    memcpy(line + used, text, size);
    return used + size;
}

void log_write(log_level level, const char *format, ...)
{
    if (level > threshold) {
        return;
    }
    char text[LINE_BYTES_MAX];
    char line[LINE_BYTES_MAX];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size < 0) {
        return;
    }
    size_t room = sizeof line - 1; // for the end of the line
    size_t used =
        shape == LOG_JSON ? put_json(line, room, level, text) : put_text(line, room, level, text);
    line[used] = '\n';
    // Nothing can be done about a log that cannot be written.
    ssize_t written = write(STDERR_FILENO, line, used + 1);
    (void)written;
}
