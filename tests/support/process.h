// A test's own caromd: started on a port that the system chooses, stopped with a signal.
#ifndef CAROM_TESTS_SUPPORT_PROCESS_H
#define CAROM_TESTS_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct process {
    pid_t pid;        // 0 after it has ended
    int log;          // memory file to which it writes its log
    uint16_t port;    // on 127.0.0.1; 0 if it does not listen
    char text[65536]; // the log at the last process_log()
} process;

// Starts `program` with `--listen 127.0.0.1:0` and the options (NULL at the end; may be NULL), and
// waits until it serves. Fails the test if it does not.
void process_start(process *p, const char *program, const char *const *options);

// Starts it with exactly these arguments, without waiting.
void process_spawn(process *p, const char *program, const char *const *arguments);

// Everything that it has written to stderr (and, if spawned, stdout) so far.
const char *process_log(process *p);

// Waits for the text in the log; false if it does not come within the time.
bool process_wait_log(process *p, const char *text, int timeout_ms);

// Waits for its end, at most `timeout_ms`. Returns its exit code, 1000 + the signal that ended it,
// or -1 if it still runs.
int process_wait(process *p, int timeout_ms);

// Sends the signal and waits as process_wait; then kills the process if it still runs.
int process_stop(process *p, int signal, int timeout_ms);

// This machine's monotonic clock.
int64_t test_now_ms(void);

#endif
