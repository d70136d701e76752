// Lines of the log (log.h). A line is put together on the stack and written with one call, so lines
// of several threads do not mix. Longer ones are cut at LINE_BYTES_MAX, and are still whole JSON:
// room for its end is kept.
#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/utf8.h"

enum {
    LINE_BYTES_MAX = 1024,
    ESCAPE_BYTES_MAX = 6, // \u001f
    REPLACEMENT = 0xFFFD
};

static const char *const NAMES[LOG_LEVEL_COUNT] = {"error", "warn", "info", "debug"};
static const char JSON_END[] = "\"}";
static log_level threshold = LOG_INFO;
static log_format shape = LOG_TEXT;

void log_set_level(log_level level)
{
    threshold = level;
}

bool log_writes(log_level level)
{
    return level <= threshold;
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

// Writes as much of the text as fits, with `\u202e` in place of each character that would affect
// the line (a line break, a mark that reverses the following text) and `\ufffd` for bytes that are
// not UTF-8: a name or reason from a peer must not forge lines of its own. JSON escapes quotes and
// backslashes too.
static size_t put_escaped(char *out, size_t room, const char *text, bool json)
{
    size_t used = 0;
    size_t left = strlen(text);
    while (left > 0 && used + ESCAPE_BYTES_MAX < room) {
        uint32_t code;
        size_t length = utf8_decode(text, left, &code);
        if (length == 0 || utf8_acts(code)) {
            used += (size_t)snprintf(out + used, room - used, "\\u%04x",
                                     length == 0 ? REPLACEMENT : (unsigned)code);
        } else {
            if (json && (code == '"' || code == '\\')) {
                out[used++] = '\\';
            }
            memcpy(out + used, text, length);
            used += length;
        }
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
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
    used += put_escaped(line + used, room - used - end, text, true);
    memcpy(line + used, JSON_END, end);
    return used + end;
}

static size_t put_text(char *line, size_t room, log_level level, const char *text)
{
    size_t used = put_time(line, room);
    used += (size_t)snprintf(line + used, room - used, " %-5s ", NAMES[level]);
    return used + put_escaped(line + used, room - used, text, false);
}

void log_write(log_level level, const char *format, ...)
{
    if (!log_writes(level)) {
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
    size_t room = sizeof line - 1; // leaves a byte for the line break
    size_t used =
        shape == LOG_JSON ? put_json(line, room, level, text) : put_text(line, room, level, text);
    line[used] = '\n';
    // Nothing can be done about a log that cannot be written.
    ssize_t written = write(STDERR_FILENO, line, used + 1);
    (void)written;
}
