// Token buckets of lines for the process; see audit.h. Any thread.
#include "server/base/audit.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/counted.h"
#include "common/base/log.h"
#include "common/base/utf8.h"
#include "server/base/bucket.h"
#include "server/base/clock.h"

typedef struct line_budget {
    bucket lines;
    uint64_t unwritten; // since the last line that was written
} line_budget;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static line_budget refusals, events; // neither kind uses up the lines of the other

// Whether a line may be written; *missed is the number of suppressed lines before it.
static bool take_line(line_budget *of, uint64_t *missed)
{
    uint64_t now_ms = (uint64_t)(clock_now_ns() / 1000000);
    pthread_mutex_lock(&mutex);
    bool taken = bucket_try(&of->lines, 1.0, AUDIT_RATE, AUDIT_BURST, now_ms);
    *missed = taken ? of->unwritten : 0;
    of->unwritten = taken ? 0 : of->unwritten + 1;
    pthread_mutex_unlock(&mutex);
    return taken;
}

void audit_notification(uint64_t session, status why, const char *text)
{
    uint64_t missed = 0;
    if (log_writes(LOG_DEBUG) && take_line(&refusals, &missed)) {
        log_debug("session %llu: a notification failed: %s: %s", (unsigned long long)session,
                  status_code(why), text);
    }
}

void audit_refusal(uint64_t session, const char *subject, const char *address, status why,
                   const char *text)
{
    uint64_t missed = 0;
    char quoted[UTF8_QUOTE_MAX];
    if (!take_line(&refusals, &missed)) {
        return;
    }
    const char *from = address != NULL ? address : "(none)";
    if (session == AUDIT_NO_SESSION) {
        log_info("refused: no session, address %s: %s: %s", from, status_code(why), text);
    } else {
        log_info("refused: session %llu, subject '%s', address %s: %s: %s",
                 (unsigned long long)session, utf8_quote(quoted, subject, strlen(subject)), from,
                 status_code(why), text);
    }
    if (missed > 0) {
        log_info("refused: %llu more, which %s not written down", COUNTED(missed, "was", "were"));
    }
}

void audit_event(const char *format, ...)
{
    uint64_t missed = 0;
    char text[AUDIT_EVENT_MAX];
    if (!log_writes(LOG_INFO) || !take_line(&events, &missed)) {
        return;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_info("%s", text);
    if (missed > 0) {
        log_info("worlds: %llu more %s, which %s not written down",
                 COUNTED(missed, "event", "events"), missed == 1 ? "was" : "were");
    }
}
