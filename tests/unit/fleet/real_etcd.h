// A test's own etcd: of this machine, on ports that the system chose, with a folder of its own.
#ifndef CAROM_TESTS_UNIT_FLEET_REAL_ETCD_H
#define CAROM_TESTS_UNIT_FLEET_REAL_ETCD_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct real_etcd {
    pid_t pid; // 0: it does not run
    int port, peer_port;
    char folder[64];
    char url[64];
} real_etcd;

// Whether etcd is installed.
bool real_etcd_there(void);

// Starts one and waits until it serves; fails the test if it does not.
void real_etcd_start(real_etcd *e);
// Starts it again, with its data and ports, after real_etcd_kill.
void real_etcd_restart(real_etcd *e);
void real_etcd_signal(const real_etcd *e, int signal);
void real_etcd_kill(real_etcd *e);
// Ends it and removes its folder.
void real_etcd_end(real_etcd *e);

#endif
