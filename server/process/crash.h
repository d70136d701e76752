// Which world a process was working on when it ended: a thread says what it works on, and a handler
// of the signals that a fault raises (SIGABRT of a failed assertion, SIGSEGV, SIGBUS, SIGFPE,
// SIGILL) writes that world's number into the file `crashes` of the data directory. A start reads
// it: a world in whose ticks the process ended CRASHES_MAX times is set aside.
//
// Nothing is written while nothing goes wrong. SIGKILL, a loss of power and signals that another
// process sends leave no line: they are no world's fault.
//
// The file has a line for each crash: the world's number, the signal's name, the version of caromd.
// Lines of another version do not count: it may have mended the fault.
#ifndef CAROM_SERVER_PROCESS_CRASH_H
#define CAROM_SERVER_PROCESS_CRASH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/status.h"

enum {
    CRASHES_MAX = 2,               // in one world; then it is set aside
    CRASH_FILE_BYTES_MAX = 1 << 20 // of the file that are read: some 25 000 lines
};

// This thread works on the world of that number from now on; 0: on none. Any thread; two
// instructions.
void crash_enter_world(uint64_t number);
// The world that this thread works on.
uint64_t crash_world(void);

// Takes the signals of faults out of a set that a thread is about to block: a blocked one ends the
// process without its handler.
void crash_leave_unblocked(sigset_t *set);

// Opens the file in a data directory that this process has locked, and has the signals handled from
// now on. Once in a process; another call names another directory. Errors: the file cannot be
// written; then crashes leave no trace.
status crash_watch(const char *directory, error *err);

typedef struct crash_line {
    uint64_t world;
    char signal[8]; // "SIGSEGV"
} crash_line;

typedef ARRAY(crash_line) crash_lines;

// The crashes of this version. No file: none. Lines that make no sense are passed over. Errors:
// STATUS_UNAVAILABLE, the file is there and cannot be read.
status crash_read(const char *directory, crash_lines *out, error *err);

// Makes the file of these lines alone. Errors: STATUS_UNAVAILABLE, and it is as it was.
status crash_write(const char *directory, const crash_lines *lines, error *err);

#endif
