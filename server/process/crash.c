// The handler of fatal signals, and its file; see crash.h.
//
// The handler runs on the failed thread, in any state: it calls only async-signal-safe functions of
// POSIX, allocates nothing, takes no lock, and writes one line with one write. Then the signal's
// previous action follows: a sanitizer's report or the end of the process.
#include "server/process/crash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"

enum {
    LINE_BYTES = 96, // a number, a signal, a version
    PATH_BYTES = PATH_MAX + 16
};

typedef struct fault_signal {
    int number;
    const char *name;
} fault_signal;

static const fault_signal FAULTS[] = {{SIGABRT, "SIGABRT"},
                                      {SIGSEGV, "SIGSEGV"},
                                      {SIGBUS, "SIGBUS"},
                                      {SIGFPE, "SIGFPE"},
                                      {SIGILL, "SIGILL"}};
enum { FAULT_COUNT = sizeof FAULTS / sizeof *FAULTS };

static _Thread_local volatile uint64_t world; // volatile: the handler reads it
static volatile int file = -1;
static struct sigaction former[FAULT_COUNT];

void crash_enter_world(uint64_t number)
{
    world = number;
}

uint64_t crash_world(void)
{
    return world;
}

void crash_leave_unblocked(sigset_t *set)
{
    for (int i = 0; i < FAULT_COUNT; i++) {
        sigdelset(set, FAULTS[i].number);
    }
}

// ---- the handler

static size_t put_text(char *line, size_t at, const char *text)
{
    for (; *text != '\0' && at < LINE_BYTES; text++) {
        line[at++] = *text;
    }
    return at;
}

static size_t put_number(char *line, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < count; i++) {
        line[i] = digits[count - 1 - i];
    }
    return count;
}

static void note(const char *signal_name)
{
    char line[LINE_BYTES];
    size_t size = put_number(line, world);
    size = put_text(line, size, " ");
    size = put_text(line, size, signal_name);
    size = put_text(line, size, " " CAROM_VERSION "\n");
    if (write(file, line, size) == (ssize_t)size) {
        (void)fsync(file);
    }
}

_Static_assert(20 + 8 + sizeof CAROM_VERSION + 3 < LINE_BYTES, "a line is whole");

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int error_before = errno;
    const bool sent = info->si_code <= 0; // sent by a process: abort() sends it to itself
    const bool own = !sent || (number == SIGABRT && info->si_pid == getpid());
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (FAULTS[i].number == number) {
            if (own && world != 0 && file >= 0) {
                note(FAULTS[i].name);
            }
            (void)sigaction(number, &former[i], NULL);
        }
    }
    if (sent) {
        (void)raise(number); // the fault repeats when the handler returns
    }
    errno = error_before;
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < FAULT_COUNT; i++) {
        int result = sigaction(FAULTS[i].number, &action, &former[i]);
        ASSERT(result == 0);
    }
}

status crash_watch(const char *directory, error *err)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/crashes", directory);
    const int opened =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (opened < 0) {
        return error_set(err, STATUS_UNAVAILABLE, "'%s' cannot be written: %s", path,
                         strerror(errno));
    }
    const int before = file;
    file = opened;
    if (before >= 0) {
        (void)close(before);
    } else {
        handle_signals();
    }
    return STATUS_OK;
}

// ---- the file

static bool is_fault(const char *name)
{
    bool found = false;
    for (int i = 0; i < FAULT_COUNT && !found; i++) {
        found = strcmp(FAULTS[i].name, name) == 0;
    }
    return found;
}

static void take_line(crash_lines *out, const char *line)
{
    char version[LINE_BYTES];
    crash_line read = {0};
    unsigned long long number = 0;
    _Static_assert(sizeof read.signal == 8 && LINE_BYTES == 96, "as the format says");
    if (sscanf(line, "%llu %7s %95s", &number, read.signal, version) == 3 &&
        is_fault(read.signal) && strcmp(version, CAROM_VERSION) == 0) {
        read.world = number;
        array_push(out, read);
    }
}

status crash_read(const char *directory, crash_lines *out, error *err)
{
    char path[PATH_BYTES];
    char line[LINE_BYTES];
    snprintf(path, sizeof path, "%s/crashes", directory);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        return STATUS_OK;
    }
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (in == NULL) {
        return error_set(err, STATUS_UNAVAILABLE, "'%s' cannot be read: %s", path, strerror(errno));
    }
    for (size_t size = 0; size < CRASH_FILE_BYTES_MAX && fgets(line, sizeof line, in) != NULL;
         size += strlen(line)) {
        take_line(out, line);
    }
    const bool failed = ferror(in) != 0;
    (void)fclose(in);
    return failed ? error_set(err, STATUS_UNAVAILABLE, "'%s' cannot be read", path) : STATUS_OK;
}

status crash_write(const char *directory, const crash_lines *lines, error *err)
{
    char path[PATH_BYTES];
    char next[PATH_BYTES];
    snprintf(path, sizeof path, "%s/crashes", directory);
    snprintf(next, sizeof next, "%s/crashes.new", directory);
    const int fd = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = fd >= 0;
    for (uint32_t i = 0; i < lines->count && good; i++) {
        good = dprintf(fd, "%llu %s " CAROM_VERSION "\n", (unsigned long long)lines->data[i].world,
                       lines->data[i].signal) > 0;
    }
    good = good && fsync(fd) == 0 && rename(next, path) == 0;
    const int why = errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    return good ? STATUS_OK
                : error_set(err, STATUS_UNAVAILABLE, "'%s' cannot be rewritten: %s", path,
                            strerror(why));
}
