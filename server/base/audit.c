// A token bucket of lines for the process; see audit.h. Any thread.
#include "server/base/audit.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/counted.h"
#include "common/base/log.h"
#include "common/base/utf8.h"
#include "server/base/bucket.h"
#include "server/base/clock.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bucket lines;
static uint64_t unwritten; // refusals without a line since the last one with a line

// Whether this refusal gets a line; *missed is the number before it that got none.
static bool take_line(uint64_t *missed)
{
    uint64_t now_ms = (uint64_t)(clock_now_ns() / 1000000);
    pthread_mutex_lock(&mutex);
    bool taken = bucket_try(&lines, 1.0, AUDIT_RATE, AUDIT_BURST, now_ms);
    *missed = taken ? unwritten : 0;
    unwritten = taken ? 0 : unwritten + 1;
    pthread_mutex_unlock(&mutex);
    return taken;
}

void audit_notification(uint64_t session, status why, const char *text)
{
    uint64_t missed = 0;
    if (log_writes(LOG_DEBUG) && take_line(&missed)) {
        log_debug("session %llu: a notification failed: %s: %s", (unsigned long long)session,
                  status_code(why), text);
    }
}

void audit_refusal(uint64_t session, const char *subject, const char *address, status why,
                   const char *text)
{
    uint64_t missed = 0;
    char quoted[UTF8_QUOTE_MAX];
    if (!take_line(&missed)) {
        return;
    }
    const char *from = address != NULL ? address : "(none)";
    if (session == AUDIT_NO_SESSION || session == AUDIT_SESSION_UNKNOWN) {
        log_info("refused: %s, address %s: %s: %s",
                 session == AUDIT_NO_SESSION ? "no session" : "session unknown", from,
                 status_code(why), text);
    } else {
        log_info("refused: session %llu, subject '%s', address %s: %s: %s",
                 (unsigned long long)session, utf8_quote(quoted, subject, strlen(subject)), from,
                 status_code(why), text);
    }
    if (missed > 0) {
        log_info("refused: %llu more, which %s not written down", COUNTED(missed, "was", "were"));
    }
}
