// A caromd of a test's own: started on a port of the system's choice, ended with a signal.
#ifndef CAROM_TESTS_SUPPORT_PROCESS_H
#define CAROM_TESTS_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct process {
    pid_t pid;        // 0 when it has ended
    int log;          // a file in memory that it writes its log to
    uint16_t port;    // on 127.0.0.1; 0 where it does not listen
    char text[65536]; // of the log, as of the last process_log
} process;

// Starts `program` with `--listen 127.0.0.1:0` and the options (NULL at the end; may be NULL), and
// waits until it serves. Fails the test where it does not.
void process_start(process *p, const char *program, const char *const *options);

// Starts it with exactly these arguments, and waits for nothing.
void process_spawn(process *p, const char *program, const char *const *arguments);

// The text that it has written to stderr (and, if spawned, stdout) so far.
const char *process_log(process *p);

// Whether the log comes to have this text within the time.
bool process_wait_log(process *p, const char *text, int timeout_ms);

// Waits for its end, at most so long. Returns its exit code, 1000 + the signal that ended it, or -1
// where it still lives.
int process_wait(process *p, int timeout_ms);

// Sends the signal and waits. As process_wait; what still lives is then killed.
int process_stop(process *p, int signal, int timeout_ms);

// Of this machine's monotonic clock.
int64_t test_now_ms(void);

#endif
