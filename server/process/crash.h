// Records the world that a process was working on when it crashed: threads set their current world,
// and a handler of the signals that a fault raises (SIGABRT of a failed assertion, SIGSEGV, SIGBUS,
// SIGFPE, SIGILL) writes that world's number into the file `crashes` of the data directory. A start
// reads it: a world in whose ticks the process ended CRASHES_MAX times is set aside.
//
// The file is written only on a crash. SIGKILL, a loss of power and signals from another process
// leave no line: no world caused them.
//
// The file has a line for each crash: the world's number, the signal's name, the version of caromd.
// Lines of another version are ignored: the fault may be repaired since.
#ifndef CAROM_SERVER_PROCESS_CRASH_H
#define CAROM_SERVER_PROCESS_CRASH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/status.h"

enum {
    CRASHES_MAX = 2,               // crashes in one world before it is set aside
    CRASH_FILE_BYTES_MAX = 1 << 20 // bytes of  the file that are read: about 25 000 lines
};

// Sets the world that this thread works on; 0: none. Any thread; two instructions.
void crash_enter_world(uint64_t number);
// The world that this thread works on; 0: none.
uint64_t crash_world(void);

// Removes the fatal signals from a set that a thread is about to block: a blocked one would end the
// process without its handler.
void crash_leave_unblocked(sigset_t *set);

// Opens the file in a data directory that this process has locked, and installs the handler. A
// second call changes the directory. Errors: the file cannot be written; crashes are then not
// recorded.
status crash_watch(const char *directory, error *err);

typedef struct crash_line {
    uint64_t world;
    char signal[8]; // "SIGSEGV"
} crash_line;

typedef ARRAY(crash_line) crash_lines;

// Reads the crashes of this version. A missing file has none. Invalid lines are skipped. Errors:
// STATUS_UNAVAILABLE, the file exists but cannot be read.
status crash_read(const char *directory, crash_lines *out, error *err);

// Replaces the file's content with these lines. Errors: STATUS_UNAVAILABLE, and the file is
// unchanged.
status crash_write(const char *directory, const crash_lines *lines, error *err);

#endif
