// Lines for the operator, on standard error: time, level, text, or the same as one JSON object a
// line. May be called from any thread; a line is written with one call so that lines of two threads
// do not mix.
#ifndef CAROM_COMMON_BASE_LOG_H
#define CAROM_COMMON_BASE_LOG_H

#include <stdbool.h>

typedef enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_LEVEL_COUNT } log_level;

// Lines above `level` are dropped. LOG_INFO until set. Set it before threads are started.
void log_set_level(log_level level);

typedef enum log_format {
    LOG_TEXT, // 2026-11-23T19:54:01.123Z info  text
    LOG_JSON  // {"time":"2026-11-23T19:54:01.123Z","level":"info","message":"text"}
} log_format;

// LOG_TEXT until set. Set it before threads are started.
void log_set_format(log_format format);

// Whether lines of that level are written.
bool log_writes(log_level level);

// The level named "error", "warn", "info" or "debug"; false for any other word.
bool log_level_parse(const char *name, log_level *out);

void log_write(log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__)
#define log_warn(...)  log_write(LOG_WARN, __VA_ARGS__)
#define log_info(...)  log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__)

#endif
