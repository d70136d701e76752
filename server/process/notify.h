// Reports the service's state to its manager, by the protocol of sd_notify(3): a datagram of
// NAME=VALUE lines to the socket that NOTIFY_SOCKET names. Without that variable every function
// does nothing.
//
// Main thread only.
#ifndef CAROM_SERVER_PROCESS_NOTIFY_H
#define CAROM_SERVER_PROCESS_NOTIFY_H

#include <stdint.h>
#include <sys/types.h>

// Sends a state: "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=…".
void notify_send(const char *state);
// Reports that settings are being reloaded; READY=1 ends that.
void notify_reloading(void);
// Reports the service's new main process.
void notify_main_pid(pid_t pid);

// The interval for WATCHDOG=1 [ms]: half of WATCHDOG_USEC, if it is meant for this process. 0: not
// needed.
uint64_t notify_watchdog_ms(void);

#endif
