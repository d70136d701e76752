// Word to the service manager, by the protocol of sd_notify(3): a datagram of NAME=VALUE lines to
// the socket that NOTIFY_SOCKET names. Without that variable every function does nothing.
//
// Main thread only.
#ifndef CAROM_SERVER_PROCESS_NOTIFY_H
#define CAROM_SERVER_PROCESS_NOTIFY_H

#include <stdint.h>
#include <sys/types.h>

// A state that stands alone: "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=…".
void notify_send(const char *state);
// The settings are read anew; READY=1 ends that.
void notify_reloading(void);
// That process is the service's from now on.
void notify_main_pid(pid_t pid);

// How often WATCHDOG=1 is to be sent [ms]: half of what WATCHDOG_USEC says, for this process. 0: no
// need.
uint64_t notify_watchdog_ms(void);

#endif
